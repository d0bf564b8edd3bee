/** Listeners of each database channel. */
export class ChannelListeners {
  readonly #ofChannels = new Map<string, Set<() => void>>();

  channels(): string[] {
    return [...this.#ofChannels.keys()];
  }

  add(channel: string, listener: () => void): void {
    const others = this.#ofChannels.get(channel) ?? new Set();
    this.#ofChannels.set(channel, others.add(listener));
  }

  /** Removes a listener. Returns whether the removed listener was the last one of the channel. */
  remove(channel: string, listener: () => void): boolean {
    const others = this.#ofChannels.get(channel);
    if (others?.delete(listener) !== true || others.size > 0) return false;
    return this.#ofChannels.delete(channel);
  }

  call(channel: string): void {
    for (const listener of this.#ofChannels.get(channel) ?? []) listener();
  }

  callAll(): void {
    for (const channel of this.channels()) this.call(channel);
  }
}
