/**
 * Why the gateway cannot start, for the person who started it: the message is one friendly line that names the
 * setting to look at and never holds a secret. Everything that is of use to a developer is the `cause`.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
