"""Models of the Hugging Face hub, with a hub of our own on this machine."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from corelax.core.errors import CorelaxError
from corelax.rankers.encoder.folder import load_ranker, save_ranker
from corelax.rankers.encoder.torch_network import store_as_computed
from corelax.resolve import Resolver
from corelax.resolve.hub import fetched, push_folder
from tests.rankers.encoder.encoder_models import tiny_model, write_encoder

huggingface_hub = pytest.importorskip("huggingface_hub")
pytestmark = pytest.mark.usefixtures("one_thread")

SHA = "0123456789abcdef0123456789abcdef01234567"
TEXT = "Ann saw the dog. She fed it."


class Hub(ThreadingHTTPServer):
    """Speaks as much of the hub's protocol as one model needs."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Requests)
        self.repos: dict[str, dict[str, bytes]] = {}
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Requests(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Silent."""

    def _answer(self, content: object, code: int = 200, **headers: str) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.server.asked.append(path)
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            repo = "/".join(parts[2:4])
            files = self.server.repos.get(repo)
            if files is None:
                self._answer({"error": "no"}, 404, X_Error_Code="RepoNotFound")
            elif len(parts) > 5 and parts[4] == "revision" and parts[5] not in {"main", "v2", SHA}:
                self._answer({"error": "no"}, 404, X_Error_Code="RevisionNotFound")
            elif len(parts) > 4 and parts[4] == "tree":
                tree = [
                    {"type": "file", "path": name, "size": len(content), "oid": _oid(content)}
                    for name, content in files.items()
                ]
                self._answer(tree)
            else:
                siblings = [{"rfilename": name} for name in files]
                self._answer({"id": repo, "sha": SHA, "siblings": siblings, "private": False})
            return
        repo, name = "/".join(parts[:2]), "/".join(parts[4:])
        content = self.server.repos[repo][name]
        self._answer(content, ETag=f'"{_oid(content)}"', X_Repo_Commit=SHA)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        parts = self.path.partition("?")[0].strip("/").split("/")
        if parts == ["api", "repos", "create"]:
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}"
            self.server.repos.setdefault(name, {})
            self._answer({"url": f"{self.server.address}/{name}"})
        elif parts == ["api", "validate-yaml"]:
            self._answer({"errors": [], "warnings": []})
        elif parts[4] == "preupload":
            paths = [file["path"] for file in json.loads(body)["files"]]
            regular = {"uploadMode": "regular", "shouldIgnore": False}
            self._answer({"files": [{"path": path, **regular} for path in paths]})
        else:
            for line in body.decode().splitlines():
                change = json.loads(line)
                if change["key"] == "file":
                    value = change["value"]
                    content = base64.b64decode(value["content"])
                    self.server.repos["/".join(parts[2:4])][value["path"]] = content
            address = f"{self.server.address}/{'/'.join(parts[2:4])}/commit/{SHA}"
            self._answer({"success": True, "commitUrl": address, "commitOid": SHA})


def _oid(content: bytes) -> str:
    return f"{hash(content) & 0xFFFFFFFF:040x}"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = tiny_model(write_encoder(tmp_path_factory.mktemp("encoder")), seed=3)
    folder = tmp_path_factory.mktemp("model")
    save_ranker(folder, model)
    (folder / "README.md").write_text("# A model\n")
    (folder / "notes.py").write_text("raise SystemExit\n")
    return folder


def test_a_model_goes_to_the_hub_and_comes_back(hub: Hub, folder: Path) -> None:
    resolver = Resolver.from_pretrained(folder, device="cpu")
    assert resolver.push_to_hub("ann/tiny") == f"{hub.address}/ann/tiny"
    assert "notes.py" not in hub.repos["ann/tiny"]
    assert {"config.json", "model.safetensors", "README.md"} <= set(hub.repos["ann/tiny"])
    again = Resolver.from_pretrained("ann/tiny", device="cpu")
    assert again.resolve(TEXT).clusters == resolver.resolve(TEXT).clusters


def test_a_model_that_was_never_saved_can_be_uploaded(hub: Hub, folder: Path) -> None:
    Resolver(Resolver.from_pretrained(folder, device="cpu").model).push_to_hub("ann/fresh")
    assert set(hub.repos["ann/fresh"]) >= {"config.json", "model.safetensors"}


@pytest.mark.usefixtures("hub")
def test_weights_that_were_rounded_for_a_gpu_are_not_uploaded(folder: Path) -> None:
    model = load_ranker(folder)
    store_as_computed(model.ranker)
    with pytest.raises(CorelaxError, match="rounded; load it with device='cpu'"):
        Resolver(model).push_to_hub("ann/rounded")


def test_nothing_but_known_files_is_downloaded(hub: Hub, folder: Path) -> None:
    push_folder(folder, "ann/tiny")
    odd = {
        "modeling.py": b"raise SystemExit",
        "pytorch_model.bin": b"",
        "encoder/tokenizer.py": b"",
    }
    hub.repos["ann/tiny"].update(odd)
    hub.asked.clear()
    place = fetched("ann/tiny@v2")
    assert isinstance(place, Path)
    names = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
    assert names == set(hub.repos["ann/tiny"]) - set(odd)
    assert not any(name in asked for name in odd for asked in hub.asked)


@pytest.mark.usefixtures("hub")
def test_without_a_network_what_was_downloaded_is_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_folder(folder, "ann/tiny")
    place = fetched("ann/tiny")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nobody listens there
    assert fetched("ann/tiny") == place


@pytest.mark.usefixtures("hub")
def test_without_a_network_an_unknown_model_is_one_line_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    start = time.monotonic()
    with pytest.raises(
        CorelaxError, match=r"^ann/other: no model there; .* cannot be reached"
    ) as error:
        Resolver.from_pretrained("ann/other")
    assert "\n" not in str(error.value)
    assert time.monotonic() - start < 5
    with pytest.raises(CorelaxError, match=r"^ann/other: the hub says"):
        push_folder(_a_folder(), "ann/other")


def _a_folder() -> Path:
    folder = Path("a_model")
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return folder


def test_models_that_the_hub_does_not_have_are_told_apart(hub: Hub) -> None:
    hub.repos["ann/other"] = {"config.json": b"{}", "pytorch_model.bin": b""}
    with pytest.raises(
        CorelaxError, match=r"^ann/other: not a corelax model; it has no model.safetensors"
    ):
        fetched("ann/other")
    with pytest.raises(CorelaxError, match=r"^ann/none: neither a folder nor a model on the hub"):
        fetched("ann/none")
    with pytest.raises(
        CorelaxError, match=r"^ann/other@v9: the hub has the model, but not this version"
    ):
        fetched("ann/other@v9")


def test_folders_go_before_the_hub(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(CorelaxError, match=r"^runs/lea: no model there; a model is a folder"):
        Resolver.from_pretrained("runs/lea")
    assert hub.asked == []


def test_only_models_with_a_name_are_uploaded(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(CorelaxError, match=r"no model there"):
        push_folder(tmp_path, "ann/tiny")
    with pytest.raises(
        CorelaxError, match=r"'tiny' is not a name on the hub; needed is user/model"
    ):
        push_folder(folder, "tiny")


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(
        CorelaxError, match=r"ann/none: no model there; .* pip install 'corelax\[hub\]'"
    ):
        fetched("ann/none")
