/** Stored headers of agent endpoints. The values of the headers are encrypted, the names are not. */
import type { AgentHeaders, SealedHeaders } from '#src/domain/agent-headers.ts';
import type { Sealing } from '../database/sealing.ts';

const mapped = (headers: AgentHeaders, change: (value: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));

/** Encrypts the values. `about` is the id of the number or call that owns the headers. */
export const sealHeaders = (sealing: Sealing, headers: AgentHeaders, about: string): SealedHeaders =>
  mapped(headers, (value) => sealing.seal(value, about));

/** Decrypts the values. Throws as `Sealing.open` does. */
export const openHeaders = (sealing: Sealing, headers: SealedHeaders, about: string): AgentHeaders =>
  mapped(headers, (sealed) => sealing.open(sealed, about));
