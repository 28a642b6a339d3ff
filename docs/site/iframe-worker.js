// A browser starts no worker for a page that was opened from disk, and the search is one. There, the worker's script
// runs in a hidden frame of the page instead, and copies of messages go to and fro by events.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (message) => {
        const data = structuredClone(message);
        setTimeout(() => this.hear(new MessageEvent("message", { data })));
      };
      this.started = new Promise((resolve, reject) => {
        const script = inside.document.createElement("script");
        script.onload = () => resolve(inside);
        script.onerror = () => reject(new Error(`${url} cannot be read`));
        script.src = new URL(url, document.baseURI).href;
        inside.document.body.append(script);
      });
    }

    hear(event) {
      this.onmessage?.(event);
      this.dispatchEvent(event);
    }

    postMessage(message) {
      const data = structuredClone(message);
      this.started.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
