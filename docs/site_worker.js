// A page that is opened as a file may not start a worker, which the search of the site needs. Here the script of the worker
// runs in a hidden frame instead, with the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...urls) => Promise.all(urls.map(each => this.load(frame, each)));
      this.inside = inside;
      this.load(frame, url).then(() => {
        const messages = this.waiting;
        this.waiting = null;
        messages.forEach(data => this.postMessage(data));
      });
    }

    load(frame, url) {
      const script = frame.contentDocument.createElement("script");
      return new Promise((done, failed) => {
        script.onload = done;
        script.onerror = failed;
        script.src = new URL(url, location.href).href;
        frame.contentDocument.body.append(script);
      });
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
