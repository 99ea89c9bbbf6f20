"""`corelax serve`: entities over HTTP, and a page in the browser."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Annotated, Literal

from corelax.cli.options import note
from corelax.core.device import Device
from corelax.core.options import Option, Threads
from corelax.serve.options import TOKEN, ServeOptions


def serve(
    model: Annotated[
        str | None,
        Option(metavar="NAME", help="Folder, or name of an installed model; else small."),
    ] = None,
    host: Annotated[str, Option(help="Where to listen; 0.0.0.0 is everywhere.")] = "127.0.0.1",
    port: Annotated[
        int, Option(min=0, max=65535, help="Where to listen; 0 is any free port.")
    ] = 8000,
    *,
    options: ServeOptions,
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

    if options.token is None:
        options = replace(options, token=os.environ.get(TOKEN))
    resolver = Resolver.from_pretrained(model, device=device, runtime=runtime, threads=threads)

    def started(address: str) -> None:
        if options.token is None and not is_loopback(host):
            note("whoever reaches this machine can use the server; --token keeps others out")
        print(f"listening at {address}; Ctrl-C stops", flush=True)

    run(resolver, options, host=host, port=port, started=started)
