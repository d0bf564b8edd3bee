import type { RefusalCode } from '#src/domain/refusal.ts';
import type { Route } from './http/route.ts';

/**
 * Returns every problem code of an operation: the codes that the operation declares, and those that follow from its
 * declaration.
 */
export const refusalsOf = (route: Route): RefusalCode[] => {
  const codes = new Set<RefusalCode>(['invalid_request', ...route.refusals]);
  const add = (...more: RefusalCode[]) => more.forEach((code) => codes.add(code));
  if (route.auth !== 'none') add('unauthorized', 'rate_limited', 'service_unavailable');
  if (route.auth === 'number') add('number_mismatch');
  if (route.auth === 'admin') add('forbidden');
  if (route.auth === 'admin' || route.auth === 'viewer') add('not_from_console');
  if (route.body !== undefined) add('payload_too_large', 'unsupported_media_type');
  if (route.idempotent === true) add('idempotency_in_progress', 'idempotency_key_reused');
  for (const code of Object.values(route.fieldCodes ?? {})) if (code !== undefined) add(code);
  add('internal_error');
  return [...codes];
};
