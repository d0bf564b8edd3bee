/** Statements that are SQL text: each can be explained, and its names are those of the entities. */
import { MikroORM } from '@mikro-orm/postgresql';
import test, { type ExecutionContext } from 'ava';
import { Client } from 'pg';
import { addTurn, addTurns } from '#src/persistence/calls/add-turn.ts';
import { answerCall, answerCalls } from '#src/persistence/calls/answer-call.ts';
import { setAnswerers } from '#src/persistence/calls/call-facts/call-changes.ts';
import { newSearch } from '#src/persistence/calls/call-search-words.ts';
import { createCalls, createKeyedCalls } from '#src/persistence/calls/create-calls.ts';
import { endCall } from '#src/persistence/calls/end-call.ts';
import { entities } from '#src/persistence/database/entities.ts';
import { claimDueDeliveries } from '#src/persistence/events/claim-deliveries.ts';
import { outbox } from '#src/persistence/events/outbox.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';

const statements = {
  createCalls,
  createKeyedCalls,
  answerCall,
  answerCalls,
  setAnswerers,
  endCall,
  addTurn,
  addTurns,
  claimDueDeliveries,
};

/** A database whose tables are made from the entities instead of by the migrations. */
const databaseOfEntities = async (t: ExecutionContext): Promise<Client> => {
  const url = await testDatabaseUrl(t);
  await runStatement(url, 'drop schema public cascade; create schema public');
  const orm = new MikroORM({
    entities,
    dbName: new URL(url).pathname.slice(1),
    driverOptions: { connectionString: url },
  });
  await orm.schema.create();
  await orm.close(true);
  const client = new Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  return client;
};

/** Plans a text without values, on every version of the server; PostgreSQL 16 has `explain (generic_plan)` for it. */
const explain = async (client: Client, text: string): Promise<void> => {
  await client.query(`prepare explained as ${text}`);
  const count = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  await client.query(`explain execute explained (${Array.from({ length: count }, () => 'null').join(', ')})`);
  await client.query('deallocate explained');
};

test('the server can explain every statement on tables made from the entities', async (t) => {
  const client = await databaseOfEntities(t);
  await client.query('set plan_cache_mode = force_generic_plan');
  for (const [name, { text }] of Object.entries(statements))
    await t.notThrowsAsync(explain(client, text), name);
  await client.query('alter table call_fact rename column sequence to place');
  await t.throwsAsync(explain(client, addTurn.text), { message: /sequence/ });
});

test('each result column is named like the property that it returns', async (t) => {
  const client = await databaseOfEntities(t);
  const properties = new Set(entities.flatMap((entity) => Object.keys(entity.properties)));
  /** Computed columns. */
  const computed = new Set(['turns', 'deferred', 'attempt', 'failedInRound']);
  for (const [name, { text }] of Object.entries(statements)) {
    const count = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    await client.query('begin');
    const { fields } = await client.query(
      text,
      Array.from({ length: count }, () => null),
    );
    await client.query('rollback');
    const unknown = fields
      .map((field) => field.name)
      .filter((field) => !properties.has(field) && !computed.has(field));
    t.deepEqual(unknown, [], name);
  }
});

const unindented = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join('\n');

test('the statements that create, answer and end a call use the same SQL to store its event', (t) => {
  for (const { text } of [createCalls, answerCall, endCall]) {
    t.true(unindented(text).includes(unindented(outbox)), text);
  }
  t.true(unindented(endCall.text).includes(unindented(newSearch)));
});
