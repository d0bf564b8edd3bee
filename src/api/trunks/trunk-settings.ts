import * as z from 'zod';
import type { FieldError } from '#src/domain/refusal.ts';
import type { TrunkSettings } from '#src/domain/trunk.ts';
import type { TrunkPatch } from '#src/persistence/trunks.ts';
import { invalidField } from '../validated.ts';
import { trunkFields } from './trunk-schema.ts';

const settings = z.object(trunkFields).partial();

/** What a body changes; what is absent stays as it is. */
export const patchOf = (body: z.output<typeof settings>): Omit<TrunkPatch, 'passwordSealed'> => ({
  name: body.name,
  host: body.host,
  port: body.port,
  transport: body.transport,
  username: body.username,
  register: body.register,
  realm: body.realm,
  fromDomain: body.from_domain,
  numberFormat: body.number_format,
  callerId: body.caller_id,
  privacy: body.privacy,
  codecs: body.codecs,
  srtp: body.srtp,
  priority: body.priority,
  weight: body.weight,
  maxChannels: body.max_channels,
  callsPerSecond: body.calls_per_second,
  inboundAddresses: body.inbound_addresses,
  inboundAuth: body.inbound_auth,
  healthCheck: body.health_check,
  enabled: body.enabled,
});

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
