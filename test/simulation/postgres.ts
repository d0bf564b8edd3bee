/**
 * PostgreSQL in this process (PGlite), extended by sessions. PGlite has a single session, so advisory locks, the list
 * of sessions and their termination are tables and functions that precede the catalogue in the search path; random
 * functions are replaced the same way. All sessions share prepared statements under common names.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { z } from 'zod';
import { bookkeepingTables, bookkeepingTriggers } from './bookkeeping.ts';
import type { SimulatedProcess } from './simulated-time.ts';
import { withoutTimers } from './determinism.ts';
import {
  commandDone,
  messagesIn,
  messageOf,
  parsed,
  queryOf,
  readyFor,
  sqlStateIn,
  textsOf,
  type Message,
} from './wire-messages.ts';

const sessionsOfItsOwn = `
  set search_path = public, pg_catalog;
  set plan_cache_mode = force_generic_plan;
  set simulated.session = '0';
  create unlogged table session_lock (key bigint primary key, pid int not null);
  create unlogged table server_session (
    pid int primary key, node text not null, process text not null,
    backend_start timestamptz not null default clock_timestamp());
  create view pg_stat_activity as
    select pid, backend_start, current_database() as datname, 'trunkline ' || node as application_name
    from server_session;
  create view pg_locks as
    select 'advisory' as locktype, 1::smallint as objsubid, true as granted,
      (select oid from pg_database where datname = current_database()) as database,
      ((key >> 32) & 4294967295)::oid as classid, (key & 4294967295)::oid as objid
    from session_lock;
  -- The views of the catalogue join many tables.
  create view pg_settings as select 'client_connection_check_interval'::text as name, '0'::text as setting where false;
  create view pg_tables as
    select relnamespace::regnamespace::name as schemaname, relname as tablename from pg_class where relkind = 'r';
  create function pg_backend_pid() returns int language sql as $$
    select current_setting('simulated.session')::int $$;
  create function pg_try_advisory_lock(wanted bigint) returns boolean language sql as $$
    with taken as (
      insert into session_lock values (wanted, public.pg_backend_pid())
      on conflict (key) do update set pid = excluded.pid where session_lock.pid = excluded.pid returning 1)
    select exists (select from taken) $$;
  create function pg_advisory_lock(wanted bigint) returns void language plpgsql as $$ begin
    if not public.pg_try_advisory_lock(wanted) then
      raise exception 'somebody else holds the lock' using errcode = '55P03';
    end if;
  end $$;
  create function pg_advisory_xact_lock_shared(wanted bigint) returns void language plpgsql as $$ begin
    if exists (select from session_lock where key = wanted and pid <> public.pg_backend_pid()) then
      raise exception 'somebody else holds the lock' using errcode = '55P03';
    end if;
  end $$;
  prepare begin_session (int, text, text) as insert into server_session values ($1, $2, $3);
  prepare choose_session (text) as select set_config('simulated.session', $1, false);
  prepare end_session (int) as
    with lost as (delete from session_lock where pid = $1) delete from server_session where pid = $1;
  create sequence drawn;
  create function gen_random_uuid() returns uuid language sql as $$
    select overlay(overlay(md5(current_setting('simulated.seed') || nextval('public.drawn'))
      placing '4' from 13) placing '8' from 17)::uuid $$;
  create function pg_terminate_backend(ended int) returns boolean language sql as $$
    select pg_catalog.pg_notify('simulated_end', ended::text);
    select true $$;
`;

/** Settings of the server: neither durability nor statistics matter here. */
const settings = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'track_activities=off',
  'track_counts=off',
];

const packages = join(import.meta.dirname, '../../node_modules');

/** A created cluster of this version of PGlite: creating one takes seven times as long as loading it. */
const clusterFile = (): string => {
  const manifest = readFileSync(join(packages, '@electric-sql/pglite/package.json'), 'utf8');
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest));
  return join(packages, `.cache/simulation/cluster-${version}.tar`);
};

/** Creates the file of the cluster if it is missing. All simulations load that file, so that they begin alike. */
export const prepareCluster = async (): Promise<string> => {
  const file = clusterFile();
  if (existsSync(file)) return file;
  const server = await PGlite.create();
  const cluster = await server.dumpDataDir('none');
  await server.close();
  mkdirSync(dirname(file), { recursive: true });
  // Another process may do the same: a file is complete when it has its name.
  const incomplete = `${file}.${process.pid}`;
  writeFileSync(incomplete, Buffer.from(await cluster.arrayBuffer()));
  renameSync(incomplete, file);
  return file;
};

/** Tables of the schema, each before those that it refers to. */
const tablesInOrder = async (server: PGlite): Promise<string[]> => {
  const { rows: tables } = await server.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migration' order by 1`,
  );
  const { rows: references } = await server.query<{ child: string; parent: string }>(
    `select conrelid::regclass::text as child, confrelid::regclass::text as parent
      from pg_constraint where contype = 'f' and conrelid <> confrelid`,
  );
  const left = new Set(tables.map(({ name }) => name));
  const ordered: string[] = [];
  while (left.size > 0) {
    const referenced = new Set(references.filter(({ child }) => left.has(child)).map(({ parent }) => parent));
    const next = [...left].filter((name) => !referenced.has(name));
    if (next.length === 0) throw new Error(`These tables refer to each other: ${[...left].join(', ')}`);
    for (const name of next) left.delete(name);
    ordered.push(...next);
  }
  return ordered;
};

/** Deleted rows take time until their tables are truncated, and statements are planned again after a truncation. */
const worldsPerTruncation = 50;

/** Statements whose result depends on the session. */
const asksForSession =
  /advisory_(xact_)?lock|pg_backend_pid|pg_terminate_backend|insert into "?call(_fact|_transition)?\b|update "?call(_checkpoint)?\b/;

/** Statements that see the list of sessions, or begin a transaction in which others do. */
const seesSessions = /\bpg_locks\b|\bpg_stat_activity\b|^\s*(?:begin|start transaction)\b/i;

/** Whether a statement's result depends on its session, and whether it can see the list of sessions. */
type Relation = { asks: boolean; sees: boolean };

/** Time limits of a new connection, which nothing exceeds here, and the planning that all sessions have. */
const limits = /^set statement_timeout = \d+(?:; set plan_cache_mode = force_generic_plan)?$/;

/** Texts that the server can prepare. */
const preparable = /^\s*(?:with|select|insert|update|delete)\b/i;
/** Texts with values in them are not repeated; they do not accumulate without limit. */
const mostUnnamed = 2_000;

export type Answer = {
  messages: Message[];
  /** Channel and payload of each notification. */
  notifications: { channel: string; payload: string }[];
  sqlState: string | undefined;
  /** Whether a transaction is open. */
  isInTransaction: boolean;
};

/** Answer to `limits`. */
const limited: Answer = {
  messages: messagesIn(Buffer.concat([commandDone('SET'), readyFor('I')])).messages,
  notifications: [],
  sqlState: undefined,
  isInTransaction: false,
};

/** A client session: its pid, and its prepared texts by its own names. */
export type Session = { readonly pid: number; readonly texts: Map<string, string> };

export class Postgres {
  readonly #server: PGlite;
  /** Common name of a prepared text in all sessions. */
  readonly #namesOfTexts = new Map<string, string>();
  #names = 0;
  /** Unnamed texts that were run. */
  readonly #unnamed = new Set<string>();
  /** Relations of texts to sessions. */
  readonly #relations = new Map<string, Relation>();

  /** Statements that add and remove sessions, by pid, and run before the next statement that could see them. */
  readonly #changes = new Map<number, string>();

  /** Adds a client session. */
  beginSession(pid: number, { name, id }: Pick<SimulatedProcess, 'name' | 'id'>): void {
    this.#changes.set(pid, `execute begin_session (${pid}, '${name}', '${id}')`);
  }

  /** Removes a client session and its locks. */
  endSession(pid: number): void {
    // No statement has seen a session that was still to be added.
    if (!this.#changes.delete(pid)) this.#changes.set(pid, `execute end_session (${pid})`);
  }

  /** Modifies a prepared text: plants a defect to verify that the rules detect it. */
  planted: (text: string) => string = (text) => text;
  readonly #questions = new Map<string, string>();
  /** Query for the names of the tables with rows; `null` before the migrations. */
  #filled: string | null = null;
  #worlds = 0;
  /** The session that statements belong to; `null` if it is uncertain. */
  #session: number | null = null;
  #isInTransaction = false;

  private constructor(server: PGlite) {
    this.#server = server;
  }

  static async start(): Promise<Postgres> {
    const startParams = [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])];
    const loadDataDir = new Blob([readFileSync(await prepareCluster())]);
    const server = await PGlite.create({ startParams, loadDataDir });
    await server.exec(sessionsOfItsOwn);
    await server.exec(bookkeepingTables);
    await server.exec('listen simulated_end');
    return new Postgres(server);
  }

  /** Keeps the migrated schema; from now on `begin` empties all other tables. */
  async keepMigrated(): Promise<void> {
    await this.#server.exec(bookkeepingTriggers);
    const tables = await tablesInOrder(this.#server);
    this.#filled = `select name from (values ${tables
      .map((table) => `('${table}', exists (select from ${table}))`)
      .join(', ')}) as tables (name, is_filled) where is_filled`;
  }

  /** Resets to the initial state, whatever the previous one. */
  begin(seed: number): void {
    this.#session = null;
    this.#isInTransaction = false;
    this.#changes.clear();
    this.exec('rollback');
    this.exec('reset statement_timeout; reset lock_timeout; reset idle_in_transaction_session_timeout');
    // Skips empty tables.
    const filled = this.#filled === null ? [] : this.#texts(this.#filled);
    this.#worlds += 1;
    if (this.#worlds % worldsPerTruncation === 0 && filled.length > 0)
      this.exec(`truncate ${filled.join(', ')} restart identity cascade`);
    else for (const table of filled) this.exec(`delete from ${table}`);
    this.exec('select setval(seqrelid::regclass, seqstart, false) from pg_sequence');
    this.exec(`set simulated.seed = '${seed}'`);
  }

  /** Rows of a query without parameters, as JSON objects. */
  rows(text: string): Record<string, unknown>[] {
    return this.#texts(`select to_jsonb(one)::text from (${text}) one`).map(
      (found) => JSON.parse(found) as Record<string, unknown>,
    );
  }

  isTrue(text: string): boolean {
    const [answer] = this.#texts(text);
    if (answer === undefined) throw new Error(`No answer to ${text}`);
    return answer === 't';
  }

  /** Rows of an observer's query with one column. Queries are prepared, because they are repeated. */
  #texts(text: string): string[] {
    let name = this.#questions.get(text);
    if (name === undefined) {
      name = `question_${this.#questions.size}`;
      this.#questions.set(text, name);
      this.exec(`prepare ${name} as ${text}`);
    }
    const { messages } = messagesIn(this.#answerTo(queryOf(`execute ${name}`)));
    const sqlState = sqlStateIn(messages);
    if (sqlState !== undefined) throw new Error(`${sqlState} in ${text}`);
    return messages.filter(({ kind }) => kind === 'D').map(({ bytes }) => bytes.toString('utf8', 11));
  }

  exec(text: string): void {
    this.#answerTo(queryOf(text));
  }

  /** Skips PGlite's own parsing. Completes synchronously: the promise is only formal. */
  #answerTo(bytes: Buffer): Buffer {
    const pieces: Uint8Array[] = [];
    // PGlite's timeouts set timers, some of which survive from one world to the next.
    withoutTimers(() => {
      void this.#server.execProtocolRawStream(bytes, {
        syncToFs: false,
        onRawData: (piece) => void pieces.push(piece.slice()),
      });
    });
    return Buffer.concat(pieces);
  }

  /** Executes the messages of one session up to a point at which it waits for the answer. */
  run(asked: readonly Message[], { pid, texts }: Session): Answer {
    if (!this.#isInTransaction && limits.test(textOf(asked[0], texts))) return limited;
    const relations = asked.map((message) => this.#relationOf(textOf(message, texts)));
    if (!this.#isInTransaction && relations.some(({ sees }) => sees)) this.#changeSessions();
    const isChosen = this.#session !== pid && relations.some(({ asks }) => asks);
    if (isChosen) this.#session = pid;
    // In the same transaction as the statement, which is faster than one of its own.
    const isTogether = isChosen && asked[0]?.kind !== 'Q';
    if (isChosen && !isTogether) this.exec(`set simulated.session = '${pid}'`);
    const fresh: string[] = [];
    const answered: Buffer[] = [];
    const sent = asked.flatMap((message) => {
      if (message.kind === 'B') return [this.#binding(message, texts)];
      if (message.kind !== 'P') return [message.bytes];
      const [name = '', asked = ''] = textsOf(message, 2).texts;
      const text = this.planted(asked);
      if (name === '' && !this.#isRepeated(text)) {
        texts.delete(name);
        return [messageOf('P', name, text, textsOf(message, 2).rest)];
      }
      texts.set(name, text);
      if (this.#namesOfTexts.has(text)) {
        answered.push(parsed);
        return [];
      }
      fresh.push(text);
      this.#names += 1;
      this.#namesOfTexts.set(text, `shared_${this.#names}`);
      return [messageOf('P', `shared_${this.#names}`, text, textsOf(message, 2).rest)];
    });
    if (isTogether) sent.unshift(...choiceOf(pid));
    const { messages } = messagesIn(this.#answerTo(Buffer.concat(sent)));
    const told = isTogether ? withoutChoice(messages) : messages;
    const sqlState = sqlStateIn(told);
    if (sqlState !== undefined) for (const text of fresh) this.#namesOfTexts.delete(text);
    const isInTransaction = told.findLast(({ kind }) => kind === 'Z')?.bytes.toString('latin1', 5) !== 'I';
    // A rollback also restores the former session.
    if (isInTransaction || this.#isInTransaction || sqlState !== undefined) this.#session = null;
    this.#isInTransaction = isInTransaction;
    return {
      messages: [...messagesIn(Buffer.concat(answered)).messages, ...told.filter(({ kind }) => kind !== 'A')],
      notifications: told.filter(({ kind }) => kind === 'A').map(notificationOf),
      sqlState,
      isInTransaction,
    };
  }

  #relationOf(text: string): Relation {
    const known = this.#relations.get(text);
    if (known !== undefined) return known;
    const asks = asksForSession.test(text);
    const relation = { asks, sees: asks || seesSessions.test(text) };
    if (this.#relations.size < mostUnnamed) this.#relations.set(text, relation);
    return relation;
  }

  #changeSessions(): void {
    if (this.#changes.size === 0) return;
    this.exec([...this.#changes.values()].join('; '));
    this.#changes.clear();
  }

  /** Whether an unnamed text was run before. Such a text is prepared as well. */
  #isRepeated(text: string): boolean {
    if (!preparable.test(text)) return false;
    if (this.#unnamed.has(text)) return true;
    if (this.#unnamed.size < mostUnnamed) this.#unnamed.add(text);
    return false;
  }

  /** Replaces the name of a prepared text by the one common to all sessions. */
  #binding(message: Message, texts: ReadonlyMap<string, string>): Buffer {
    const [portal = '', name = ''] = textsOf(message, 2).texts;
    if (name === '' && !texts.has(name)) return message.bytes;
    const shared = this.#namesOfTexts.get(texts.get(name) ?? '') ?? name;
    return messageOf('B', portal, shared, textsOf(message, 2).rest);
  }
}

/** Text that a message executes or prepares; empty without one. */
const textOf = (message: Message | undefined, texts: ReadonlyMap<string, string>): string => {
  if (message?.kind === 'Q') return textsOf(message, 1).texts[0] ?? '';
  if (message?.kind === 'P') return textsOf(message, 2).texts[1] ?? '';
  if (message?.kind === 'B') return texts.get(textsOf(message, 2).texts[1] ?? '') ?? '';
  return '';
};

/** Messages that execute `choose_session` without ending the transaction. */
const choiceOf = (pid: number): Buffer[] => {
  const value = Buffer.from(String(pid));
  const values = Buffer.alloc(8);
  // No formats, one value, its length.
  values.writeInt16BE(1, 2);
  values.writeInt32BE(value.length, 4);
  return [
    messageOf('B', '', 'choose_session', Buffer.concat([values, value, Buffer.alloc(2)])),
    messageOf('E', '', Buffer.alloc(4)),
  ];
};

/** The answers without those to `choiceOf`, which has failed only in a transaction that is broken off. */
const withoutChoice = (messages: readonly Message[]): readonly Message[] =>
  messages[0]?.kind === 'E' ? messages : messages.slice(1 + messages.findIndex(({ kind }) => kind === 'C'));

const notificationOf = (message: Message): { channel: string; payload: string } => {
  const [channel = '', payload = ''] = textsOf(
    // Channel and payload follow the id of the notifying process.
    { kind: 'A', bytes: message.bytes.subarray(4) },
    2,
  ).texts;
  return { channel, payload };
};
