# `corelax serve` on a CPU with the model small: onnxruntime, no torch. Nothing is written, nothing is fetched at run time.
#   docker build -t corelax . && docker run --rm -p 127.0.0.1:8000:8000 -e CORELAX_TOKEN=... corelax
FROM python:3.12-slim

WORKDIR /build
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
COPY models/small ./models/small
RUN pip install --no-cache-dir -c constraints.txt ./models/small ".[serve]" \
    && rm -rf /build \
    && useradd --system --no-create-home corelax

USER corelax
WORKDIR /
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/ready', timeout=4)"]
ENTRYPOINT ["corelax", "serve", "--host", "0.0.0.0", "--port", "8000"]
