/**
 * Authentication between gateways by a key that all of them derive from the master key. A proof covers the whole
 * request and its time, so it is invalid for other requests and expires.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';

export type NodeKeys = {
  /** Returns the message authentication code of the text by the newest key. */
  nodeCode(text: string): Buffer;
  /** Returns one message authentication code for each key, newest key first. */
  nodeCodes(text: string): Buffer[];
};

export type ProvenRequest = { method: string; path: string; range: string | undefined };

/** Maximum clock difference between two machines. */
const toleranceMs = 120_000;

const form = /^Node (\d{1,15}) ([\da-f]{64})$/;

const covered = ({ method, path, range = '' }: ProvenRequest, at: number): string =>
  [method, path, range, at].join('\n');

/** Returns the value of the `Authorization` header. */
export const proofOf = (request: ProvenRequest, keys: NodeKeys, now: number): string =>
  `Node ${now} ${keys.nodeCode(covered(request, now)).toString('hex')}`;

/** `expired`: a valid proof of another gateway whose clock differs too much from the clock here. */
export type ProofVerdict = 'valid' | 'expired' | 'invalid';

/** `madeAt`: time at which the proof was made, by the sender's clock. */
const partsOf = (proof: string | undefined): { madeAt: number; code: string } | undefined => {
  const [, madeAt, code] = form.exec(proof ?? '') ?? [];
  return madeAt === undefined || code === undefined ? undefined : { madeAt: Number(madeAt), code };
};

export const judgeProof = (
  request: ProvenRequest,
  proof: string | undefined,
  keys: NodeKeys,
  now: number,
): ProofVerdict => {
  const parts = partsOf(proof);
  if (parts === undefined) return 'invalid';
  const given = Buffer.from(parts.code, 'hex');
  const isOurs = keys
    .nodeCodes(covered(request, parts.madeAt))
    .some((expected) => timingSafeEqual(expected, given));
  if (!isOurs) return 'invalid';
  return Math.abs(now - parts.madeAt) > toleranceMs ? 'expired' : 'valid';
};

export type JudgeProof = (request: ProvenRequest, proof: string | undefined) => ProofVerdict;

/** Minimum interval between warnings, because a rejected gateway retries every second. */
const warnEveryMs = 60_000;

/** Warns the operator about the clock of another gateway, with the difference. */
export const createProofJudge = (options: {
  keys: NodeKeys;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  logger: Logger;
}): JudgeProof => {
  let warnedAt = -Infinity;
  return (request, proof) => {
    const now = options.now();
    const verdict = judgeProof(request, proof, options.keys, now);
    const parts = partsOf(proof);
    // The absolute value covers a clock that was set back.
    if (verdict !== 'expired' || parts === undefined || Math.abs(now - warnedAt) < warnEveryMs)
      return verdict;
    warnedAt = now;
    const differenceMs = parts.madeAt - now;
    options.logger.warn(
      { difference_ms: differenceMs, tolerance_ms: toleranceMs },
      `another gateway is refused, whose clock is ${Math.round(Math.abs(differenceMs) / 1_000)} s ${differenceMs > 0 ? 'ahead of' : 'behind'} the clock of this one; set both right`,
    );
    return verdict;
  };
};
