/**
 * Reason why the gateway cannot start. The message is one line that names the setting and contains no secret. Details
 * for developers are in `cause`.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
