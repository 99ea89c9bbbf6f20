"""Other resolvers with random weights of their published sizes; run by the Python they are installed in.

    python peer_models.py make KIND FOLDER < JOB        writes configuration, tokenizer and weights
    python peer_models.py measure KIND FOLDER < JOB     resolves texts, prints figures
    python peer_models.py first KIND FOLDER             resolves one line

`peers.py` calls it; corelax is not needed here. What is real: the classes of fastcoref and maverick-coref as
they are on the package index, with everything they do from text to entities, and the sizes of their networks

    fcoref     DistilRoBERTa, 6 layers of 768, and FCoref's head          90.5 M weights
    lingmess   Longformer-large, 24 layers of 1,024, and LingMess's head  590 M
    maverick   DeBERTa-v3-large, 24 layers of 1,024, and Maverick_mes     504 M

What is not: weights are random, and the tokenizer is the word pieces of corelax's `small`, so every network
reads the same pieces (tables of vectors have the size of the real vocabularies). FCoref and LingMess
keep a fixed share of the spans, so their work hardly depends on the weights. Maverick keeps what passes a
threshold, which half of all spans would with random weights: the two thresholds are moved until a text has a
mention for nine words, about what CoNLL-2012 has. fastcoref splits words by a blank English
pipeline of spaCy. Maverick is given sentences and words, since its own splitter is a download.
"""

from __future__ import annotations

import json
import logging
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MENTIONS = 1 / 9  # for a word
BATCH = 10_000  # words in a call of fastcoref, which is its own default for the pieces of a batch
MEMORY = 8 << 30  # bytes that a peer may ask for
LINE = "Marie Curie moved to Paris. She studied there, and it became her home."

Text = list[list[str]]  # sentences of words
Predict = Callable[[list[Text]], list[Any]]

ROBERTA = {
    "vocab_size": 50_265,
    "hidden_size": 768,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 3_072,
    "max_position_embeddings": 514,
    "type_vocab_size": 1,
    "layer_norm_eps": 1e-5,
    "pad_token_id": 0,
}
LONGFORMER = ROBERTA | {
    "hidden_size": 1_024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4_096,
    "max_position_embeddings": 4_098,
    "attention_window": [512] * 24,
}
DEBERTA = {
    "vocab_size": 128_100,
    "hidden_size": 1_024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4_096,
    "max_position_embeddings": 512,
    "type_vocab_size": 0,
    "relative_attention": True,
    "max_relative_positions": -1,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "layer_norm_eps": 1e-7,
}
HEADS = {
    "fcoref": {"top_lambda": 0.25, "ffnn_size": 1_024, "max_segment_len": 512},
    "lingmess": {
        "top_lambda": 0.4,
        "ffnn_size": 2_048,
        "max_segment_len": 512,
        "max_doc_len": 4_096,
    },
}


def make(kind: str, folder: Path) -> None:
    """Writes a folder that the peer can load; the job names a tokenizer and has a text to try."""
    import torch
    from transformers import PreTrainedTokenizerFast

    torch.manual_seed(0)
    job = json.load(sys.stdin)
    marks = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
    PreTrainedTokenizerFast(tokenizer_file=job["tokenizer"], **marks).save_pretrained(folder)
    if kind == "maverick":
        make_maverick(folder, job["text"])
    else:
        make_fastcoref(kind, folder)


def make_fastcoref(kind: str, folder: Path) -> None:
    from fastcoref.coref_models.modeling_fcoref import FCorefModel
    from fastcoref.coref_models.modeling_lingmess import LingMessModel
    from transformers import LongformerConfig, RobertaConfig

    LingMessModel._supports_sdpa = False
    small = kind == "fcoref"
    config = RobertaConfig(**ROBERTA) if small else LongformerConfig(**LONGFORMER)
    config.coref_head = {"max_span_length": 30, "dropout_prob": 0.3, **HEADS[kind]}
    model = FCorefModel(config) if small else LingMessModel(config)
    model.save_pretrained(folder)


def make_maverick(folder: Path, text: Text) -> None:
    import pytorch_lightning
    import torch
    from maverick import Maverick
    from maverick.models.pl_modules import BasePLModule
    from transformers import DebertaV2Config, DebertaV2Model

    DebertaV2Model(DebertaV2Config(**DEBERTA)).save_pretrained(folder)
    settings = {
        "_target_": "maverick.Maverick_mes",
        "huggingface_model_name": str(folder),
        "freeze_encoder": False,
        "span_representation": "concat_start_end",
    }
    module = BasePLModule(model=settings).eval()
    resolver = Maverick.__new__(Maverick)
    resolver.model, resolver.device = module.model, "cpu"
    resolver.tokenizer = resolver.__get_model_tokenizer__()
    for layer in (module.model.start_token_classifier, module.model.start_end_classifier):
        move_threshold(resolver, layer, text)
    version = pytorch_lightning.__version__
    content = {"hyper_parameters": {"model": settings}, "pytorch-lightning_version": version}
    torch.save({"state_dict": module.state_dict(), **content}, folder / "weights.ckpt")


def move_threshold(resolver: Any, layer: Any, text: Text) -> None:
    """Shifts the bias of a classifier until one of nine words of a text passes."""
    logits: list[Any] = []
    hook = layer.register_forward_hook(lambda _layer, _input, output: logits.append(output))
    resolver.predict(text)
    hook.remove()
    [values] = logits
    passing = MENTIONS * sum(map(len, text)) / values.numel()
    layer.layer.dense.bias.data -= values.flatten().quantile(1 - passing)


def load(kind: str, folder: Path) -> Predict:
    """The peer as a function that resolves texts."""
    if kind == "maverick":
        from maverick import Maverick

        resolver = Maverick(str(folder / "weights.ckpt"), device="cpu")
        return lambda texts: [resolver.predict(text) for text in texts]
    import spacy
    from fastcoref import FCoref, LingMessCoref
    from fastcoref.coref_models.modeling_lingmess import LingMessModel

    LingMessModel._supports_sdpa = False  # Longformer has no such attention, which 2.1.6 overlooks
    of_kind = FCoref if kind == "fcoref" else LingMessCoref
    model = of_kind(str(folder), device="cpu", nlp=spacy.blank("en"), enable_progress_bar=False)
    return lambda texts: [
        result.get_clusters(as_strings=False)
        for result in model.predict(["\n".join(" ".join(s) for s in text) for text in texts])
    ]


def groups(texts: list[Text], way: str, seconds: float, first: float) -> Iterator[list[Text]]:
    """Texts that are resolved by one call, as many as take about so many seconds."""
    words = sum(map(len, texts[0]))
    size = 1 if way == "one" else max(1, min(len(texts), BATCH // words, round(seconds / first)))
    for start in range(0, len(texts), size):
        yield texts[start : start + size]


def measure(kind: str, folder: Path) -> None:
    """Prints a line for each case of a job: its figures, or why there are none."""
    import torch

    job = json.load(sys.stdin)
    torch.set_num_threads(job["threads"])
    predict = load(kind, folder)
    predict(job["warm"])
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for case in job["cases"]:
        try:
            figures = resolve(predict, {**job, **case})
        except (MemoryError, RuntimeError) as error:
            short = ("memory", "could not create a primitive")  # so torch and its oneDNN say it
            if isinstance(error, RuntimeError) and not any(word in str(error) for word in short):
                raise
            figures = {"why": f"more than {MEMORY >> 30} GB"}
        print(json.dumps(figures), flush=True)


def resolve(predict: Predict, job: dict[str, Any]) -> dict[str, Any]:
    """Speed and memory; texts are resolved until the time of the job is over."""
    limit_time(job["limit"])
    forget_peak()
    began, busy = time.perf_counter(), time.process_time()
    results = predict(job["texts"][:1])
    first, busy = time.perf_counter() - began, time.process_time() - busy
    if not results:
        return {"why": "skipped: longer than it takes"}
    words = sum(map(len, job["texts"][0]))
    if first > job["seconds"]:  # a slow one is not resolved twice
        return {"speed": words / first, "busy": words / busy, "memory": peak()}
    began, busy, words = time.perf_counter(), time.process_time(), 0
    for texts in groups(job["texts"], job["way"], job["seconds"], first):
        limit_time(job["limit"])
        predict(texts)
        words += sum(sum(map(len, text)) for text in texts)
        if time.perf_counter() - began > job["seconds"]:
            break
    spent, busy = time.perf_counter() - began, time.process_time() - busy
    return {"speed": words / spent, "busy": words / busy, "memory": peak()}


def limit_time(seconds: float) -> None:
    """Ends this process when it has used so many further seconds of processor time."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def forget_peak() -> None:
    """What was needed to load is no longer part of the peak (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> float:
    """The most memory of this process since, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    [high] = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return int(high) / 1024


def main() -> None:
    task, kind, folder = sys.argv[1:]
    logging.disable(logging.INFO)
    if task == "make":
        make(kind, Path(folder))
    elif task == "measure":
        measure(kind, Path(folder))
    else:
        load(kind, Path(folder))([[LINE.split()]])
        print(json.dumps({"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
