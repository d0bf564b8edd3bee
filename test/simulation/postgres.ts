/**
 * PostgreSQL in this process (PGlite), extended by sessions. PGlite has a single session, so advisory locks, the list
 * of sessions and their termination are tables and functions that precede the catalogue in the search path; random
 * functions are replaced the same way. All sessions share prepared statements under common names.
 */
import { PGlite } from '@electric-sql/pglite';
import { withoutTimers } from './determinism.ts';
import {
  messagesIn,
  messageOf,
  parsed,
  queryOf,
  sqlStateIn,
  textsOf,
  type Message,
} from './wire-messages.ts';

const sessionsOfItsOwn = `
  set search_path = public, pg_catalog;
  set plan_cache_mode = force_generic_plan;
  set simulated.session = '0';
  create unlogged table session_lock (key bigint primary key, pid int not null);
  create unlogged table server_session (pid int primary key, node text not null, backend_start timestamptz not null default clock_timestamp());
  create view pg_stat_activity as
    select pid, backend_start, current_database() as datname, 'trunkline ' || node as application_name
    from server_session;
  create view pg_locks as
    select 'advisory' as locktype, 1::smallint as objsubid, true as granted,
      (select oid from pg_database where datname = current_database()) as database,
      ((key >> 32) & 4294967295)::oid as classid, (key & 4294967295)::oid as objid
    from session_lock;
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
  create unlogged table stale_write (what text not null, call_id uuid not null, writer text not null, holder text not null);
  create sequence drawn;
  create function gen_random_uuid() returns uuid language sql as $$
    select overlay(overlay(md5(current_setting('simulated.seed') || nextval('public.drawn'))
      placing '4' from 13) placing '8' from 17)::uuid $$;
  create function pg_terminate_backend(ended int) returns boolean language sql as $$
    select pg_catalog.pg_notify('simulated_end', ended::text);
    select true $$;
`;

/**
 * Records facts and progress written by a gateway that does not own the call. Excludes ends: calls that cannot be
 * resumed keep the name of their dead owner and are ended by another gateway.
 */
const writers = `
  create function note_stale_write() returns trigger language plpgsql as $$
  declare
    writer text := (select node from server_session where pid = public.pg_backend_pid());
    holder text := (select node from call where id = new.call_id);
  begin
    if writer <> holder then insert into stale_write values (tg_argv[0], new.call_id, writer, holder); end if;
    return new;
  end $$;
  create trigger note_stale_fact after insert on call_fact for each row
    when (new.type not in ('call.ended', 'call.summarized', 'recording.completed', 'recording.failed'))
    execute function note_stale_write('fact');
  create trigger note_stale_progress after update of progress on call_checkpoint for each row
    execute function note_stale_write('progress');
`;

/** Statements whose result depends on the session. */
const asksForSession =
  /advisory_(xact_)?lock|pg_backend_pid|pg_terminate_backend|insert into "?call_fact|update "?call_checkpoint/;

export type Answer = {
  messages: Message[];
  /** Channel and payload of each notification. */
  notifications: { channel: string; payload: string }[];
  sqlState: string | undefined;
  /** Whether a transaction is open. */
  isInTransaction: boolean;
};

/** A client session: its pid, and its prepared texts by its own names. */
export type Session = { readonly pid: number; readonly texts: Map<string, string> };

/** Session of an observer outside of the simulation. */
const observer: Session = { pid: 0, texts: new Map() };

export class Postgres {
  readonly #server: PGlite;
  /** Common name of a prepared text in all sessions. */
  readonly #namesOfTexts = new Map<string, string>();
  #names = 0;
  /** Modifies a prepared text: plants a defect to verify that the rules detect it. */
  planted: (text: string) => string = (text) => text;
  readonly #questions = new Map<string, string>();
  #tables: string[] = [];

  private constructor(server: PGlite) {
    this.#server = server;
  }

  static async start(): Promise<Postgres> {
    const server = await PGlite.create();
    await server.exec(sessionsOfItsOwn);
    await server.exec('listen simulated_end');
    return new Postgres(server);
  }

  /** Keeps the migrated schema; from now on `begin` empties all other tables. */
  async keepMigrated(): Promise<void> {
    await this.#server.exec(writers);
    const { rows } = await this.#server.query<{ tablename: string }>(
      "select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_migration' order by 1",
    );
    this.#tables = rows.map(({ tablename }) => `"${tablename}"`);
  }

  /** Resets to the initial state, whatever the previous one. */
  begin(seed: number): void {
    this.exec('rollback');
    this.exec('reset statement_timeout; reset lock_timeout; reset idle_in_transaction_session_timeout');
    if (this.#tables.length > 0) this.exec(`truncate ${this.#tables.join(', ')} restart identity`);
    this.exec('alter sequence drawn restart');
    this.exec(`set simulated.seed = '${seed}'`);
  }

  /** Rows of a query without parameters, as JSON objects. */
  rows(text: string): Record<string, unknown>[] {
    const found = this.run(
      [{ kind: 'Q', bytes: queryOf(`select to_jsonb(one)::text from (${text}) one`) }],
      observer,
    );
    if (found.sqlState !== undefined) throw new Error(`${found.sqlState} in ${text}`);
    return found.messages
      .filter(({ kind }) => kind === 'D')
      .map(({ bytes }) => JSON.parse(bytes.toString('utf8', 11)) as Record<string, unknown>);
  }

  /** Answer to a frequently repeated query. */
  isTrue(text: string): boolean {
    let name = this.#questions.get(text);
    if (name === undefined) {
      name = `question_${this.#questions.size}`;
      this.#questions.set(text, name);
      this.exec(`prepare ${name} as ${text}`);
    }
    const { messages } = messagesIn(this.#answerTo(queryOf(`execute ${name}`)));
    const row = messages.find(({ kind }) => kind === 'D');
    if (row === undefined) throw new Error(`No answer to ${text}`);
    return row.bytes.toString('utf8', 11) === 't';
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
    const isAsking = (message: Message): boolean =>
      asksForSession.test(message.bytes.toString('latin1')) ||
      (message.kind === 'B' && asksForSession.test(texts.get(textsOf(message, 2).texts[1] ?? '') ?? ''));
    if (asked.some(isAsking)) this.exec(`set simulated.session = '${pid}'`);
    const fresh: string[] = [];
    const answered: Buffer[] = [];
    const sent = asked.flatMap((message) => {
      if (message.kind === 'B') return [this.#binding(message, texts)];
      if (message.kind !== 'P') return [message.bytes];
      const [name = '', asked = ''] = textsOf(message, 2).texts;
      const text = this.planted(asked);
      if (name === '') return [messageOf('P', name, text, textsOf(message, 2).rest)];
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
    const { messages: told } = messagesIn(this.#answerTo(Buffer.concat(sent)));
    const sqlState = sqlStateIn(told);
    if (sqlState !== undefined) for (const text of fresh) this.#namesOfTexts.delete(text);
    return {
      messages: [...messagesIn(Buffer.concat(answered)).messages, ...told.filter(({ kind }) => kind !== 'A')],
      notifications: told.filter(({ kind }) => kind === 'A').map(notificationOf),
      sqlState,
      isInTransaction: told.findLast(({ kind }) => kind === 'Z')?.bytes.toString('latin1', 5) !== 'I',
    };
  }

  /** Replaces the name of a prepared text by the one common to all sessions. */
  #binding(message: Message, texts: ReadonlyMap<string, string>): Buffer {
    const [portal = '', name = ''] = textsOf(message, 2).texts;
    if (name === '') return message.bytes;
    const shared = this.#namesOfTexts.get(texts.get(name) ?? '') ?? name;
    return messageOf('B', portal, shared, textsOf(message, 2).rest);
  }
}

const notificationOf = (message: Message): { channel: string; payload: string } => {
  const [channel = '', payload = ''] = textsOf(
    // Channel and payload follow the id of the notifying process.
    { kind: 'A', bytes: message.bytes.subarray(4) },
    2,
  ).texts;
  return { channel, payload };
};
