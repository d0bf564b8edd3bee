/**
 * Single-use links that sign a browser in to the console (guides/design/administration.md, "Signing in to the
 * console").
 */
import { expressionBuilder } from 'kysely';
import { isValidAt } from './admin-tokens.ts';
import type { Database } from '../database/database.ts';
import { SignInLink } from './sign-in-link.ts';
import { secondsAgo } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Sealing } from '../database/sealing.ts';
import type { Statements } from '../database/statements.ts';
import type { Row, Tables } from '../database/tables.ts';

export type NewLink = Omit<Row<'SignInLink'>, 'usedAt'>;

type Opening = { fingerprints: readonly Buffer[]; at: Date };

const withCode = (fingerprints: readonly Buffer[]) => {
  const { eb, fn, val } = expressionBuilder<Tables, 'SignInLink'>();
  return eb('SignInLink.codeHash', '=', fn.any(val(fingerprints)));
};

/** If two browsers open a link at the same time, the second one waits for the first and finds the link used. */
const opening = kyselyQuery((queries, { fingerprints, at }: Opening) =>
  queries
    .updateTable('SignInLink')
    .set({ usedAt: at })
    .from('AdminToken')
    .whereRef('AdminToken.id', '=', 'SignInLink.adminTokenId')
    .where(withCode(fingerprints))
    .where('SignInLink.usedAt', 'is', null)
    .where('SignInLink.expiresAt', '>', at)
    .where(isValidAt(at))
    .returning(['AdminToken.id', 'AdminToken.workspaceId']),
);

const known = kyselyQuery((queries, { fingerprints }: Pick<Opening, 'fingerprints'>) =>
  queries.selectFrom('SignInLink').select('usedAt').where(withCode(fingerprints)),
);

export const createLink = async (db: Database, link: NewLink): Promise<void> => {
  await db.entityManager().insert(SignInLink, link);
};

/**
 * Redeems a link. Returns the token of the admin as whom the browser is signed in. `used`: the link was already opened.
 * `over`: the link or its token has expired, or the link is unknown.
 */
export const openLink = async (
  db: Database,
  sealing: Sealing,
  code: string,
  at: Date,
): Promise<{ id: string; workspaceId: string } | 'used' | 'over'> => {
  const fingerprints = sealing.fingerprints(code);
  const [opened] = await opening(db, { fingerprints, at });
  if (opened !== undefined) return opened;
  const [link] = await known(db, { fingerprints });
  return link !== undefined && link.usedAt !== null ? 'used' : 'over';
};

/** Time in seconds for which used links are kept, so that opening a link again results in `used`. */
const rememberedSec = 86_400;

const forgetting = kyselyQuery((queries) =>
  queries
    .deleteFrom('SignInLink')
    .where(({ eb, lit }) => eb('expiresAt', '<', secondsAgo(lit(rememberedSec)))),
);

/** Deletes expired links. */
export const deleteOldLinks = async (db: Statements): Promise<void> => {
  await forgetting(db, {});
};
