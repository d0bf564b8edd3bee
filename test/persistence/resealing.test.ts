import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { newNumberKey } from '#src/administration/new-key.ts';
import type { Database } from '#src/persistence/database.ts';
import { authenticateNumber } from '#src/persistence/number-keys.ts';
import { resealSecrets } from '#src/persistence/resealing.ts';
import { createSealing, type Sealing } from '#src/persistence/sealing.ts';
import { legsOf, writeLegs } from '#src/persistence/sip-legs.ts';
import { encryptedLeg } from '#test/helpers/encrypted-leg.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import { storedNumber } from '#test/helpers/stored-number.ts';

const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);
const old = createSealing(oldKey);
const both = createSealing(newKey, [oldKey]);
const newest = createSealing(newKey);

/** A number with a secret of every kind, sealed so. */
const secretsSealedBy = async (db: Database, sealing: Sealing) => {
  const { queries } = db;
  const { numberId, workspaceId } = await storedNumber(db);
  const [key, trunkId, webhookId] = [newNumberKey(), randomUUID(), randomUUID()];
  await queries
    .insertInto('NumberKey')
    .values({
      numberId,
      keyHash: sealing.fingerprint(key),
      keySealed: sealing.seal(key, numberId),
      issuedAt: new Date(),
    })
    .onConflict((conflict) =>
      conflict.column('numberId').doUpdateSet(({ ref }) => ({
        keyHash: ref('excluded.keyHash'),
        keySealed: ref('excluded.keySealed'),
      })),
    )
    .execute();
  for (const direction of ['inbound', 'outbound'] as const)
    await queries
      .insertInto('AgentBinding')
      .values({ numberId, direction, agent: 'endpoint', tokenSealed: sealing.seal(direction, numberId) })
      .execute();
  await queries
    .updateTable('PhoneNumber')
    .set({
      inboundAuthMethod: 'handshake',
      inboundAuthUrl: 'https://example.com/',
      inboundAuthSecretSealed: sealing.seal('handshake', numberId),
    })
    .where('id', '=', numberId)
    .execute();
  await queries
    .insertInto('TrunkRow')
    .values({
      id: trunkId,
      workspaceId,
      name: 'carrier',
      host: 'sip.example.com',
      transport: 'udp',
      passwordSealed: sealing.seal('password', trunkId),
      register: false,
      numberFormat: 'e164',
      callerId: 'from',
      privacy: false,
      priority: 1,
      weight: 1,
      inboundAddresses: [],
      inboundAuth: 'none',
      healthCheck: false,
      enabled: true,
      createdAt: new Date(),
    })
    .execute();
  await queries
    .insertInto('WebhookEndpoint')
    .values({
      id: webhookId,
      workspaceId,
      url: 'https://example.com/',
      secretSealed: sealing.seal('new', webhookId),
      previousSecretSealed: sealing.seal('previous', webhookId),
      createdAt: new Date(),
    })
    .execute();
  return { numberId, key, trunkId, webhookId };
};

/** Every secret of the number, opened by these keys alone. */
const opened = async (
  db: Database,
  { numberId, trunkId, webhookId }: Awaited<ReturnType<typeof secretsSealedBy>>,
  sealing: Sealing,
) => {
  const { queries } = db;
  const open = (sealed: string | null, about: string) => sealed && sealing.open(sealed, about);
  const number = await queries
    .selectFrom('PhoneNumber')
    .select('inboundAuthSecretSealed')
    .where('id', '=', numberId)
    .executeTakeFirstOrThrow();
  const trunk = await queries
    .selectFrom('TrunkRow')
    .select('passwordSealed')
    .where('id', '=', trunkId)
    .executeTakeFirstOrThrow();
  const webhook = await queries
    .selectFrom('WebhookEndpoint')
    .select(['secretSealed', 'previousSecretSealed'])
    .where('id', '=', webhookId)
    .executeTakeFirstOrThrow();
  const bindings = await queries
    .selectFrom('AgentBinding')
    .select('tokenSealed')
    .where('numberId', '=', numberId)
    .orderBy('direction')
    .execute();
  return [
    ...bindings.map(({ tokenSealed }) => open(tokenSealed, numberId)),
    open(number.inboundAuthSecretSealed, numberId),
    open(trunk.passwordSealed, trunkId),
    open(webhook.secretSealed, webhookId),
    open(webhook.previousSecretSealed, webhookId),
  ];
};

const counts = async (t: ExecutionContext, db: Database, expected: Record<string, [number, number]>) =>
  t.deepEqual(
    Object.fromEntries(
      (await resealSecrets(db, both)).map(({ kind, resealed, unreadable }) => [kind, [resealed, unreadable]]),
    ),
    {
      number_keys: [0, 0],
      agent_tokens: [0, 0],
      handshake_secrets: [0, 0],
      trunk_passwords: [0, 0],
      webhook_secrets: [0, 0],
      call_keys: [0, 0],
      ...expected,
    },
  );

test('every secret opens by the newest key alone afterwards, and a number is recognised by it', async (t) => {
  const db = await ownDatabase(t);
  const stored = await secretsSealedBy(db, old);
  t.is(await authenticateNumber(db, newest, stored.key), undefined);
  await counts(t, db, {
    number_keys: [1, 0],
    agent_tokens: [2, 0],
    handshake_secrets: [1, 0],
    trunk_passwords: [1, 0],
    webhook_secrets: [2, 0],
  });
  t.deepEqual(await opened(db, stored, newest), [
    'inbound',
    'outbound',
    'handshake',
    'password',
    'new',
    'previous',
  ]);
  t.is((await authenticateNumber(db, newest, stored.key))?.id, stored.numberId);
  await counts(t, db, {});
});

test('what no key opens is counted and left as it is', async (t) => {
  const db = await ownDatabase(t);
  const stranger = createSealing(Buffer.alloc(32, 9));
  const stored = await secretsSealedBy(db, stranger);
  await counts(t, db, {
    number_keys: [0, 1],
    agent_tokens: [0, 2],
    handshake_secrets: [0, 1],
    trunk_passwords: [0, 1],
    webhook_secrets: [0, 2],
  });
  t.deepEqual((await opened(db, stored, stranger)).at(-1), 'previous');
});

test('the keys of calls in progress open by the newest key alone afterwards, and by no other before', async (t) => {
  const db = await ownDatabase(t);
  const [id, strange, plain] = [randomUUID(), randomUUID(), randomUUID()];
  const held = { id, callId: randomUUID(), epoch: 1, leg: encryptedLeg };
  await writeLegs(db, old, 'one', { kept: [held], over: [] });
  const withoutDialog = { ...encryptedLeg, dialog: null };
  t.deepEqual(await legsOf(db, newest, 'one'), [{ ...held, leg: withoutDialog }], 'it can be ended alone');
  await writeLegs(db, createSealing(Buffer.alloc(32, 9)), 'another', {
    kept: [{ ...held, id: strange }],
    over: [],
  });
  const unencrypted = { ...encryptedLeg, state: 'inviting' as const, dialog: null };
  await writeLegs(db, old, 'another', { kept: [{ ...held, id: plain, leg: unencrypted }], over: [] });
  await counts(t, db, { call_keys: [2, 2] });
  t.deepEqual(await legsOf(db, newest, 'one'), [held]);
  await counts(t, db, { call_keys: [0, 2] });
});
