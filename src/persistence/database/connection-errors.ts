/** Classifies database connection errors by PostgreSQL's SQLSTATE or Node's error code. */
import { StartError } from '#src/domain/start-error.ts';

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : '';
};

/** Thrown without an attempt, because the database was found unresponsive shortly before. */
export class DatabaseAway extends Error {
  override readonly name: string = 'DatabaseAway';
  constructor(message = 'The database does not answer', options?: ErrorOptions) {
    super(message, options);
  }
}

const lostConnection =
  /^(08...|57P0.|57014|53...|40001|40P01|25006)$|^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_AGAIN)/;
const lostConnectionText =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|not queryable/i;

/**
 * Whether a unix socket is missing, whose server therefore does not run. Other missing files are unrelated to the
 * database.
 */
const isMissingSocket = (error: unknown): boolean =>
  error instanceof Error && codeOf(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';

/**
 * Whether the same statement can succeed later, when the database is back. Reasons: the connection was lost, refused or
 * silent; the server was shutting down, out of resources or too slow; or two transactions collided.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof DatabaseAway ||
  lostConnection.test(codeOf(error)) ||
  isMissingSocket(error) ||
  (error instanceof Error && lostConnectionText.test(error.message));

/** Whether the server cancelled the statement because of its time limit. */
export const isCancelled = (error: unknown): boolean => codeOf(error) === '57014';

/**
 * Whether the server refused because it has no free connections. Such a server is reachable and serves other clients.
 */
export const hasNoConnectionLeft = (error: unknown): boolean => codeOf(error) === '53300';

/**
 * Whether the failed statement may have been executed, because its answer was lost. A statement that was never sent was
 * not executed.
 */
export const isInDoubt = (error: unknown): boolean => isTransient(error) && !(error instanceof DatabaseAway);

const unknownAuthority =
  'its certificate is not signed by a known authority: name that authority in the URL by sslrootcert=FILE, or encrypt without checking the certificate by sslmode=no-verify';
const otherNames =
  'its certificate is for another host name: write that name in the URL, or encrypt without checking the certificate by sslmode=no-verify';

const explanations: Record<string, string> = {
  ECONNREFUSED: 'no server listens there',
  ENOENT: 'no server listens there',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be looked up',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'it cannot be reached',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: otherNames,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  '28P01': 'the user or the password is wrong',
  '28000': 'the server does not let this user in',
  '3D000': 'there is no such database on the server: create it first',
  '42501': 'the user may not do what the gateway needs (create tables)',
  '53300': 'the server has no connections left',
  '57P03': 'the server is starting or stopping',
};

/** Returns the certificate or key file in the URL that cannot be read. */
const unreadFileOf = (error: unknown): string | undefined =>
  error instanceof Error &&
  'syscall' in error &&
  error.syscall === 'open' &&
  'path' in error &&
  typeof error.path === 'string'
    ? error.path
    : undefined;

/** Describes a connection failure for the operator. */
export const explain = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DatabaseAway) return message;
  const file = unreadFileOf(error);
  if (file !== undefined)
    return `the file ${file} that the URL names (sslrootcert, sslcert, sslkey) cannot be read`;
  if (/does not support SSL/i.test(message))
    return 'the server does not encrypt: switch TLS on there, or leave sslmode out of the URL';
  return (
    explanations[codeOf(error)] ??
    (/timeout/i.test(message) ? 'it does not answer' : message.replaceAll(/\s+/g, ' '))
  );
};

/**
 * Describes the failure in one line for the operator at start. `where` replaces the address, which may contain a
 * password.
 */
export const connectionStartError = (where: string, error: unknown): StartError =>
  new StartError(`Cannot use the database at ${where} (GW_DATABASE_URL): ${explain(error)}`, {
    cause: error,
  });
