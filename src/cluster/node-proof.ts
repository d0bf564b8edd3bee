/**
 * Proof of one gateway to another that it belongs to the same house: by a key that both derive from the master key. A
 * proof covers the whole request and its time, so it opens nothing else, and nothing later.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';

export type NodeKeys = {
  /** A code over the text, made with the newest key. */
  nodeCode(text: string): Buffer;
  /** One for each key, the newest first. */
  nodeCodes(text: string): Buffer[];
};

export type ProvenRequest = { method: string; path: string; range: string | undefined };

/** The clocks of two machines may differ by so much. */
const toleranceMs = 120_000;

const form = /^Node (\d{1,15}) ([\da-f]{64})$/;

const covered = ({ method, path, range = '' }: ProvenRequest, at: number): string =>
  [method, path, range, at].join('\n');

/** For the header `Authorization`. */
export const proofOf = (request: ProvenRequest, keys: Pick<NodeKeys, 'nodeCode'>, now: number): string =>
  `Node ${now} ${keys.nodeCode(covered(request, now)).toString('hex')}`;

/** `expired`: it is the proof of a gateway of the house, made when the clock here shows another time. */
export type ProofVerdict = 'valid' | 'expired' | 'invalid';

/** `madeAt`: by the clock of its maker. */
const partsOf = (proof: string | undefined): { madeAt: number; code: string } | undefined => {
  const [, madeAt, code] = form.exec(proof ?? '') ?? [];
  return madeAt === undefined || code === undefined ? undefined : { madeAt: Number(madeAt), code };
};

export const judgeProof = (
  request: ProvenRequest,
  proof: string | undefined,
  keys: Pick<NodeKeys, 'nodeCodes'>,
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

/** Whoever is refused asks again every second; the operator is told so seldom. */
const warnEveryMs = 60_000;

/** Tells the operator of a clock that shows another time, and by how much. */
export const createProofJudge = (options: {
  keys: Pick<NodeKeys, 'nodeCodes'>;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  logger: Logger;
}): JudgeProof => {
  let warnedAt = -Infinity;
  return (request, proof) => {
    const now = options.now();
    const verdict = judgeProof(request, proof, options.keys, now);
    const parts = partsOf(proof);
    // The clock may have been set back since.
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
