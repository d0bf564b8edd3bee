/** The gateway's end of a connection to the simulated database, in the form in which `pg` uses a socket. */
import { Duplex } from 'node:stream';
import { arriveIn, type SimulatedProcess } from './simulated-time.ts';
import { messagesIn, type Message } from './wire-messages.ts';

export type DatabasePeer = {
  connect(): void;
  /** The first message identifies the connection and has no kind: it is reported as `startup`. */
  ask(messages: readonly Message[]): void;
  close(): void;
};

/** Messages after which a client waits for an answer: sync, simple query and terminate. */
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
    // Data is pushed when the server sends it.
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

  /** Receives data from the server, in the gateway's process. */
  hear(bytes: Buffer): void {
    this.#inProcess(() => void this.push(bytes));
  }

  opened(): void {
    this.#inProcess(() => void this.emit('connect'));
  }

  /** The connection ends without a terminate message. */
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
