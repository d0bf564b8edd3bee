/** The route of a call for its record (`CallRoute`). */
import type Srf from 'drachtio-srf';
import type { CallRoute } from '#machines/line.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { parametrized, valuesIn } from '../headers/header-values.ts';

/** Route of one INVITE according to the INVITE's messages. */
export type Way = Omit<CallRoute, 'trunk' | 'failedTrunks'>;

export const noWay: Way = { localAddress: null, remoteAddress: null, postDialDelayMs: null };

type Source = { source_address: string; source_port: number | string };

export const sourceOf = ({ source_address: address, source_port: port }: Source): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/** Returns the address from which drachtio-server sent a request, taken from Via (RFC 3261 section 18.1.1). */
export const sentFrom = (request: Pick<Srf.SrfRequest, 'get'>): string | null =>
  /^SIP\s*\/\s*2\.0\s*\/\s*\w+\s+(\S+)$/i.exec(
    parametrized(valuesIn(request.get('Via') ?? '')[0] ?? '').value,
  )?.[1] ?? null;

const named = ({ id, name }: Trunk): CallRoute['trunk'] => ({ id, name });

/** Route of an inbound call. The drachtio-srf types lack the address at which drachtio-server received the request. */
export const arrivingRoute = (request: Source & object, trunk: Trunk): CallRoute => ({
  trunk: named(trunk),
  failedTrunks: [],
  localAddress: 'receivedOn' in request && typeof request.receivedOn === 'string' ? request.receivedOn : null,
  remoteAddress: sourceOf(request),
  postDialDelayMs: null,
});

/** Route of an outbound call across its trunks. */
export const createRoute = () => {
  /** The current trunk. `way` is `null` until an INVITE is sent. */
  let tried: { trunk: Trunk; way: (() => Way) | null } | null = null;
  const failed: string[] = [];

  return {
    /** Begins another trunk. The previous trunk failed the call, unless it had no free channel. */
    tries(trunk: Trunk): void {
      if (tried !== null && tried.way !== null) failed.push(tried.trunk.id);
      tried = { trunk, way: null };
    },
    goes(way: () => Way): void {
      if (tried !== null) tried = { ...tried, way };
    },
    route: (): CallRoute | null =>
      tried === null
        ? null
        : { trunk: named(tried.trunk), failedTrunks: [...failed], ...(tried.way?.() ?? noWay) },
  };
};
