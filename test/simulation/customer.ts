/**
 * A customer of the gateways: places calls by the API, hangs up, and receives events. The customer retries a request
 * without a response with the same idempotency key, at any available gateway.
 */
import { z } from 'zod';
import type { ApiAnswer } from './api-server.ts';
import type { FarServer } from './far-servers.ts';
import type { SimulatedNode } from './node.ts';
import type { World } from './world.ts';

export type Access = { numberId: string; number: string; numberKey: string; adminToken: string };

/** Timeout of a request, and delay before a retry. */
const patienceMs = 12_000;
const retryMs = 1_500;

export type CustomerRequest = {
  method: string;
  path: string;
  admin?: boolean;
  body?: unknown;
  idempotencyKey?: string;
  /** The gateway that answers; otherwise any that is ready. */
  by?: SimulatedNode;
};

const placed = z.object({ call_id: z.string() });
const told = z.object({ id: z.string(), type: z.string(), call: z.object({ id: z.string() }) });

export class Customer {
  /** Ids and types of acknowledged events, by call. */
  readonly received = new Map<string, { id: string; type: string }[]>();
  /** Share of events that the receiver rejects. */
  refuses = 0;
  /** Share of calls that are requested twice at the same time, with the same key. */
  repeats = 0;
  /** Set to stop placing calls. */
  isSatisfied = false;
  #requests = 0;
  readonly #world: World;
  #access: Access | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  /** Receiver of the events. */
  readonly receiver: FarServer = ({ body }) => {
    const { random, journal } = this.#world;
    const event = told.parse(JSON.parse(body));
    if (random.chance(this.refuses)) return { status: 500, contentType: 'text/plain', pieces: [] };
    const { id: callId } = event.call;
    journal.note(`receiver has ${event.type} of ${callId}`);
    const known = this.received.get(callId) ?? [];
    this.received.set(callId, [...known, { id: event.id, type: event.type }]);
    return { status: 200, contentType: 'text/plain', pieces: [] };
  };

  use(access: Access): void {
    this.#access = access;
  }

  /** The response of one gateway to one request; undefined on a timeout. */
  ask(request: CustomerRequest, onAnswer: (answer: ApiAnswer | undefined) => void): void {
    const { nodes, random, time } = this.#world;
    const access = this.#access;
    const { method, path, admin = false, body, idempotencyKey, by } = request;
    const ready = by === undefined ? nodes.filter((node) => node.api !== undefined) : [by];
    if (ready.length === 0 || access === null) {
      time.after(retryMs, () => onAnswer(undefined));
      return;
    }
    let isOver = false;
    const over = (answer: ApiAnswer | undefined): void => {
      if (isOver) return;
      isOver = true;
      onAnswer(answer);
    };
    time.after(patienceMs, () => over(undefined));
    random.pick(ready).api?.ask(
      {
        method,
        path,
        key: admin ? access.adminToken : access.numberKey,
        body,
        headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      },
      over,
    );
  }

  /** Request for a change of the number. */
  changeNumber(change: object): CustomerRequest {
    const path = `/api/v1/admin/numbers/${this.#access?.numberId}`;
    return { method: 'PATCH', path, admin: true, body: change };
  }

  /** Retries until there is a response, or until all tries are used. */
  place(to: string, tries: number, onPlaced: (callId: string) => void): void {
    this.#requests += 1;
    const instruction = `order-${this.#requests}`;
    const attempt = (left: number): void => {
      if (this.isSatisfied) return;
      const body = { to, instruction, max_duration_sec: 60 };
      const request = { method: 'POST', path: '/api/v1/calls', body, idempotencyKey: instruction };
      if (this.#world.random.chance(this.repeats))
        this.ask(request, (answer) =>
          this.#world.journal.note(`customer: ${instruction} again ${answer?.status ?? 'unanswered'}`),
        );
      this.ask(request, (answer) => {
        this.#world.journal.note(`customer: ${instruction} ${answer?.status ?? 'unanswered'}`);
        if (answer?.status === 201) onPlaced(placed.parse(answer.body).call_id);
        else if (
          left > 1 &&
          !this.isSatisfied &&
          (answer === undefined || answer.status >= 500 || answer.status === 409)
        )
          this.#world.time.after(retryMs, () => attempt(left - 1));
      });
    };
    attempt(tries);
  }

  callIn(): void {
    const body = { to: this.#access?.number, from: '01012345678' };
    this.ask({ method: 'POST', path: '/api/v1/admin/simulator/calls', admin: true, body }, (answer) =>
      this.#world.journal.note(`a caller was answered ${answer?.status ?? 'nothing'}`),
    );
  }

  cancel(callId: string): void {
    this.ask({ method: 'POST', path: `/api/v1/calls/${callId}/cancel` }, (answer) =>
      this.#world.journal.note(`customer: cancel ${callId} ${answer?.status ?? 'unanswered'}`),
    );
  }

  transfer(callId: string, body: object): void {
    this.ask({ method: 'POST', path: `/api/v1/calls/${callId}/transfer`, body }, (answer) =>
      this.#world.journal.note(`customer: transfer ${callId} ${answer?.status ?? 'unanswered'}`),
    );
  }

  takeTransferBack(callId: string): void {
    this.ask({ method: 'POST', path: `/api/v1/calls/${callId}/transfer/cancel` }, (answer) =>
      this.#world.journal.note(`customer: no transfer ${callId} ${answer?.status ?? 'unanswered'}`),
    );
  }

  hangUp(callId: string, immediate: boolean): void {
    this.ask({ method: 'POST', path: `/api/v1/calls/${callId}/hangup`, body: { immediate } }, (answer) =>
      this.#world.journal.note(`customer: hangup ${callId} ${answer?.status ?? 'unanswered'}`),
    );
  }
}
