/** Links that sign a browser in to the console, once (guides/design/administration.md, "Signing in to the console"). */
import { expressionBuilder } from 'kysely';
import { isValidAt } from './admin-tokens.ts';
import type { Database } from './database.ts';
import { SignInLink } from './entities/sign-in-link.ts';
import { secondsAgo } from './expressions.ts';
import { prepared } from './prepared.ts';
import type { Sealing } from './sealing.ts';
import type { Statements } from './statements.ts';
import type { Row, Tables } from './tables.ts';

export type NewLink = Omit<Row<'SignInLink'>, 'usedAt'>;

type Opening = { fingerprints: readonly Buffer[]; at: Date };

const withCode = (fingerprints: readonly Buffer[]) => {
  const { eb, fn, val } = expressionBuilder<Tables, 'SignInLink'>();
  return eb('SignInLink.codeHash', '=', fn.any(val(fingerprints)));
};

/** Of two browsers that open it at the same time, the second waits for the first and finds it used. */
const opening = prepared((queries, { fingerprints, at }: Opening) =>
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

const known = prepared((queries, { fingerprints }: Pick<Opening, 'fingerprints'>) =>
  queries.selectFrom('SignInLink').select('usedAt').where(withCode(fingerprints)),
);

export const createLink = async (db: Database, link: NewLink): Promise<void> => {
  await db.entityManager().insert(SignInLink, link);
};

/**
 * The token as whose admin the browser is signed in, from now on never again. `used`: somebody has opened it before;
 * `over`: it is past its end, its token is, or it never was.
 */
export const openLink = async (
  db: Database,
  sealing: Pick<Sealing, 'fingerprints'>,
  code: string,
  at: Date,
): Promise<{ id: string; workspaceId: string } | 'used' | 'over'> => {
  const fingerprints = sealing.fingerprints(code);
  const [opened] = await opening(db, { fingerprints, at });
  if (opened !== undefined) return opened;
  const [link] = await known(db, { fingerprints });
  return link !== undefined && link.usedAt !== null ? 'used' : 'over';
};

/** For a while it can still be said that a link was used. */
const rememberedSec = 86_400;

const forgetting = prepared((queries) =>
  queries
    .deleteFrom('SignInLink')
    .where(({ eb, lit }) => eb('expiresAt', '<', secondsAgo(lit(rememberedSec)))),
);

/** Clears away what nobody opens any more. */
export const deleteOldLinks = async (db: Statements): Promise<void> => {
  await forgetting(db, {});
};
