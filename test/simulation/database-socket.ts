/** The gateway's end of a connection to the simulated database, as `pg` uses a socket. */
import { Duplex } from 'node:stream';
import { arriveIn, type SimulatedProcess } from './simulated-time.ts';
import { messagesIn, type Message } from './wire-messages.ts';

export type DatabasePeer = {
  connect(): void;
  /** The first message names the connection and has no kind: it is told as `startup`. */
  ask(messages: readonly Message[]): void;
  close(): void;
};

/** With these a client begins to wait for an answer: sync, a simple query, and the farewell. */
const endsQuestion = new Set(['S', 'Q', 'X']);

export class DatabaseSocket extends Duplex {
  readonly #process: SimulatedProcess;
  readonly #peer: DatabasePeer;
  #isStarted = false;
  #bytes: Buffer = Buffer.alloc(0);
  #asked: Message[] = [];

  constructor(process: SimulatedProcess, peerOf: (socket: DatabaseSocket) => DatabasePeer) {
    super();
    this.#process = process;
    this.#peer = peerOf(this);
  }

  connect(): this {
    this.#peer.connect();
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // What the server says is pushed when it is there.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    if (!this.#isStarted && this.#bytes.length >= 4) {
      const length = this.#bytes.readInt32BE(0);
      this.#isStarted = true;
      this.#bytes = this.#bytes.subarray(length);
      this.#peer.ask([{ kind: 'startup', bytes: Buffer.alloc(0) }]);
    }
    const { messages, rest } = messagesIn(this.#bytes);
    this.#bytes = rest;
    for (const message of messages) {
      this.#asked.push(message);
      if (endsQuestion.has(message.kind)) this.#peer.ask(this.#asked.splice(0));
    }
    done();
  }

  override _final(done: () => void): void {
    this.#peer.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#peer.close();
    done(error);
  }

  /** The server answers, in the gateway's own time. */
  hear(bytes: Buffer): void {
    this.#inProcess(() => void this.push(bytes));
  }

  opened(): void {
    this.#inProcess(() => void this.emit('connect'));
  }

  /** The connection ends without a farewell. */
  break(code: 'ECONNRESET' | 'ECONNREFUSED'): void {
    this.#inProcess(() => void this.destroy(Object.assign(new Error(`The network said ${code}`), { code })));
  }

  #inProcess(work: () => void): void {
    if (!this.#process.isAlive) return;
    arriveIn(this.#process, () => {
      if (!this.destroyed) work();
    });
  }
}
