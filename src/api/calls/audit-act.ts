import type { CallableNumber } from '#src/calls/live/number-authentication.ts';
import { audit } from '../http/audit.ts';
import type { Browser } from '../http/browser.ts';
import type { ApiServices } from '../api-services.ts';

type RequestInCall = { caller: CallableNumber; params: { callId: string }; browser: Browser };

/** Returns the session of a request from a page of this gateway; undefined for a program's request. */
const sessionOf = ({ session, isOurPage, isConsole }: Browser): string | undefined =>
  isOurPage && isConsole ? session : undefined;

/**
 * Audits an act in a call that was requested in the console. The console sends the key of the call's number, which names
 * nobody; the browser's session beside it names the admin. The act is done by then, so a failure is only logged.
 */
export const auditAct = async (
  { caller, params, browser }: RequestInCall,
  services: ApiServices,
  act: { action: `call.${string}`; detail?: Record<string, unknown> },
): Promise<void> => {
  const session = sessionOf(browser);
  if (session === undefined) return;
  const { callId } = params;
  try {
    const admin = await services.directory.authenticateSession(session);
    if (admin?.workspace.id !== caller.workspace.id) return;
    await audit(services, admin, { ...act, subject: `call:${callId}` });
  } catch (error) {
    services.operation.logger.error(
      { err: error, callId },
      'an act of an admin in a call could not be audited',
    );
  }
};
