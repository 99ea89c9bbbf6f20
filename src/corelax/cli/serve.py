"""`corelax serve`: entities over HTTP, and a page in the browser."""

from __future__ import annotations

import os
from typing import Annotated, Literal

from corelax.cli.options import note
from corelax.cli.parameters import Option
from corelax.core.device import Device
from corelax.core.options import Threads

TOKEN = "CORELAX_TOKEN"


def serve(
    model: Annotated[
        str | None,
        Option(metavar="NAME", help="Folder, or name of an installed model; else small."),
    ] = None,
    host: Annotated[str, Option(help="Where to listen; 0.0.0.0 is everywhere.")] = "127.0.0.1",
    port: Annotated[
        int, Option(min=0, max=65535, help="Where to listen; 0 is any free port.")
    ] = 8000,
    token: Annotated[
        str | None,
        Option(metavar="TOKEN", help=f"What clients must send; else that of ${TOKEN}."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        Option(metavar="URL", help="A web site whose pages may use the server; * is all."),
    ] = None,
    batch_size: Annotated[
        int, Option(min=1, max=4096, metavar="N", help="Texts resolved together.")
    ] = 8,
    batch_wait: Annotated[
        float,
        Option(min=0, max=10_000, metavar="MS", help="How long a text waits for others."),
    ] = 5,
    queue_size: Annotated[
        int, Option(min=1, max=100_000, metavar="N", help="Texts that may wait; else 503.")
    ] = 256,
    max_characters: Annotated[
        int,
        Option(min=1, max=10_000_000, metavar="N", help="Of a request's texts; else 413."),
    ] = 100_000,
    timeout: Annotated[
        float, Option(min=0.1, max=3600, metavar="S", help="Seconds for a request; else 504.")
    ] = 60,
    device: Device = "auto",
    runtime: Annotated[
        Literal["auto", "onnx", "int8", "torch"],
        Option(
            help="What computes; auto is onnxruntime on a CPU if it can; int8 is faster, less exact."
        ),
    ] = "auto",
    threads: Threads = None,
) -> None:
    """Serve a model over HTTP, with a page to paste texts into at /.

    POST /resolve takes {"text": "Ann said she left."}; /openapi.json describes the rest. SIGTERM and Ctrl-C
    stop the server when all accepted requests are answered.
    """
    from corelax.resolve import Resolver
    from corelax.serve.server import is_loopback
    from corelax.serve.server import serve as run
    from corelax.serve.settings import ServerSettings

    settings = ServerSettings(
        batch_size=batch_size,
        batch_wait=batch_wait / 1000,
        queue_size=queue_size,
        max_characters=max_characters,
        timeout=timeout,
        token=token if token is not None else os.environ.get(TOKEN),
        allow_origins=tuple(allow_origin or ()),
    )
    resolver = Resolver.from_pretrained(model, device=device, runtime=runtime, threads=threads)

    def started(address: str) -> None:
        if settings.token is None and not is_loopback(host):
            note("whoever reaches this machine can use the server; --token keeps others out")
        print(f"listening at {address}; Ctrl-C stops", flush=True)

    run(resolver, settings, host=host, port=port, started=started)
