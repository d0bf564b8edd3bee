/**
 * Proof of one gateway to another that it belongs to the same house: by a key that both derive from the master key. A
 * proof covers the whole request and its time, so it opens nothing else, and nothing later.
 */
import { timingSafeEqual } from 'node:crypto';

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

export const judgeProof = (
  request: ProvenRequest,
  proof: string | undefined,
  keys: Pick<NodeKeys, 'nodeCodes'>,
  now: number,
): ProofVerdict => {
  const [, told = '', code = ''] = form.exec(proof ?? '') ?? [];
  if (code === '') return 'invalid';
  const given = Buffer.from(code, 'hex');
  const isOurs = keys
    .nodeCodes(covered(request, Number(told)))
    .some((expected) => timingSafeEqual(expected, given));
  if (!isOurs) return 'invalid';
  return Math.abs(now - Number(told)) > toleranceMs ? 'expired' : 'valid';
};
