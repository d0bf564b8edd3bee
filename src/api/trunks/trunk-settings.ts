import type { FieldError } from '#src/domain/refusal.ts';
import type { TrunkSettings } from '#src/domain/trunk.ts';
import { invalidField } from '../validated.ts';

/** Refuses settings that are possible one by one and not together. */
export const requirePossible = (
  trunk: Pick<TrunkSettings, 'username' | 'register' | 'inboundAuth'>,
  hasPassword: boolean,
): void => {
  const errors: FieldError[] = [];
  if (trunk.register && trunk.username === null)
    errors.push({ path: 'username', message: 'A trunk that is registered at needs a user name.' });
  if (hasPassword && trunk.username === null)
    errors.push({ path: 'password', message: 'A password needs a user name.' });
  if (trunk.inboundAuth === 'digest' && (trunk.username === null || !hasPassword))
    errors.push({
      path: 'inbound_auth',
      message: 'Callers can be authenticated only where user name and password are set.',
    });
  if (errors.length > 0) throw invalidField(...errors);
};

export const nameTaken = () =>
  invalidField({ path: 'name', message: 'The workspace has a trunk of this name already.' });
