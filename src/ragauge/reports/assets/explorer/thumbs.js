// What the reader says of an answer: good or bad. Only a page of `ragauge view` can keep it.

class Thumbs {
  /** `keys`: those of the runs, at their places. */
  constructor(samples, keys) {
    Object.assign(this, { samples, keys, given: keys.map(() => ({})) });
  }

  /** Ask for those that were given before. */
  async read() {
    const asked = this.keys.map(async (key, run) => {
      const answer = await fetch(`/thumbs?run=${key}`, { cache: "no-store" });
      if (answer.ok) this.given[run] = await answer.json();
    });
    await Promise.allSettled(asked);
  }

  /** Two buttons; a second press takes the thumb back. */
  element(run, place) {
    const id = this.samples.data.ids[place];
    const kept = make("span", { class: "caption", role: "status" });
    const buttons = [[true, "samples.thumb-good"], [false, "samples.thumb-bad"]].map(([good, word]) => {
      const element = button(word, () => press(good));
      return [good, element];
    });
    const show = () => {
      for (const [good, element] of buttons) element.setAttribute("aria-pressed", String(own(this.given[run], id) === good));
    };
    const press = async (good) => {
      const said = own(this.given[run], id) === good ? null : good;
      const before = this.given[run];
      this.given[run] = { ...before, [id]: said };
      show();
      if (await this.keep(run, id, said)) return kept.replaceChildren();
      this.given[run] = before;
      show();
      kept.replaceChildren(textElement("span", "samples.thumb-lost"));
    };
    show();
    const label = textElement("span", "samples.thumb", {}, { class: "caption" });
    return make("p", { class: "thumbs", role: "group", "data-text-label": "samples.thumb" }, label, ...buttons.map(([, element]) => element), kept);
  }

  async keep(run, id, good) {
    try {
      const body = JSON.stringify({ run: this.keys[run], id, good });
      const answer = await fetch("/thumbs", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      return answer.ok;
    } catch {
      return false;
    }
  }
}
