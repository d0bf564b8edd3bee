/**
 * Records of the simulated database about its writers, for the rules of `checks.ts`: tables and triggers that no
 * gateway knows of.
 *
 * - `call_holder`: every holder of a call in order, the process that placed it and those that claimed it.
 * - `fact_writer`: the process that wrote each fact, and the epoch of the call at that moment.
 * - `stale_write`: facts, progress and transitions written by a process that is not the call's last holder. Late facts
 *   about an ended call are excluded: another gateway may finish its recording or its summary.
 */

/** Precedes the catalogue in the search path, like the tables of sessions in `postgres.ts`. */
export const bookkeepingTables = `
  create unlogged table call_holder (
    place bigserial primary key, call_id uuid not null, epoch int not null, node text not null, process text not null,
    is_resumable boolean not null);
  create index call_holder_call on call_holder (call_id, place desc);
  create unlogged table fact_writer (
    call_id uuid not null, sequence int not null, type text not null, epoch int not null, process text not null);
  create unlogged table stale_write (
    what text not null, call_id uuid not null, writer text not null, holder text not null);
  create function writing_process() returns text language sql stable as $$
    select process from public.server_session where pid = public.pg_backend_pid() $$;
`;

/** SQL that creates the triggers of the bookkeeping after the migrations. */
export const bookkeepingTriggers = `
  create function note_holder() returns trigger language plpgsql as $$ begin
    insert into call_holder (call_id, epoch, node, process, is_resumable)
    select new.id, new.epoch, new.node, public.writing_process(),
      new.answered_at is not null and exists (
        select from call_checkpoint where call_id = new.id and settings is not null);
    return new;
  end $$;
  create trigger note_new_holder after insert on call for each row execute function note_holder();
  create trigger note_next_holder after update of epoch, node on call for each row execute function note_holder();

  create function note_stale_write(what text, written uuid) returns void language sql as $$
    insert into stale_write
    select what, written, public.writing_process(), holder.process from (
      select process from call_holder where call_id = written order by place desc limit 1) as holder
    where holder.process <> public.writing_process() $$;
  create function note_fact() returns trigger language plpgsql as $$ begin
    insert into fact_writer
    select new.call_id, new.sequence, new.type, epoch, public.writing_process() from call where id = new.call_id;
    if new.type not in ('call.summarized', 'recording.completed', 'recording.failed') then
      perform note_stale_write('fact ' || new.type, new.call_id);
    end if;
    return new;
  end $$;
  create trigger note_fact after insert on call_fact for each row execute function note_fact();
  create function note_progress() returns trigger language plpgsql as $$ begin
    perform note_stale_write('progress', new.call_id);
    return new;
  end $$;
  create trigger note_progress after update of progress on call_checkpoint for each row execute function note_progress();
  create function note_transitions() returns trigger language plpgsql as $$ begin
    perform note_stale_write('transition', call_id) from (select distinct call_id from written) as calls;
    return null;
  end $$;
  create trigger note_transitions after insert on call_transition referencing new table as written
    for each statement execute function note_transitions();
`;
