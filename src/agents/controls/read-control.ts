/** Parses controls that an agent has written (guides/design/agents.md, "Controls"). */
import { z } from 'zod';
import type { Control } from '#machines/control.ts';
import { baseLanguage, isLanguage, languages } from '#src/domain/language.ts';
import {
  longestKeyWaitSec,
  longestSaid,
  mostCollected,
  telephoneKey,
  dtmfDigits,
  transferRingBounds,
  usualKeyWaitSec,
  usualTransferRingSec,
} from '#src/domain/in-call-request.ts';
import { decodeReference } from '../character-reference.ts';

/** Stands for a control that declares chosen silence. The call ignores it. */
export const silence = Symbol('silence');

/** Reason for leaving a control out. The reason is safe to log, because it does not quote the control. */
export type LeftOut = { leftOut: string };

/** Maximum characters of a language tag (RFC 5646 section 4.4.1). */
const longestTag = 35;

/** Schema of a number, which is always text in a tag. */
const given = (number: z.ZodInt) =>
  z
    .union([
      number,
      z
        .string()
        .regex(/^\d{1,4}$/)
        .transform(Number)
        .pipe(number),
    ])
    .optional();

/** Schema of words to speak. Control characters are rejected, because the database could not store them. */
const words = z
  .string()
  .max(longestSaid)
  .transform((text) =>
    text
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim(),
  )
  .optional();

const transfer = {
  schema: z
    .object({
      // The number of a transfer; its syntax and permission are checked when it is dialled.
      to: z.string().regex(/^\+?[0-9][0-9 -]{2,38}$/),
      mode: z.enum(['cold', 'warm']).default('cold'),
      say: words,
      briefing: words,
      accept_key: z.string().regex(telephoneKey).optional(),
      ring_timeout_sec: given(z.int().min(transferRingBounds[0]).max(transferRingBounds[1])),
      on_failure: z.enum(['resume', 'hang_up']).default('resume'),
    })
    .transform(
      ({
        accept_key: acceptKey = null,
        ring_timeout_sec: ringTimeoutSec = usualTransferRingSec,
        on_failure: onFailure,
        say = null,
        briefing = null,
        ...asked
      }): Control => ({
        act: 'transfer',
        transfer: { ...asked, say, briefing, acceptKey, ringTimeoutSec, onFailure },
      }),
    ),
  takes: `a telephone number in "to"; "mode" (cold or warm), "say" and "briefing" (up to ${longestSaid} characters), "accept_key" (one key), "ring_timeout_sec" from ${transferRingBounds[0]} to ${transferRingBounds[1]} and "on_failure" (resume or hang_up) may be left out`,
} as const;

const controls = {
  hangup: {
    schema: z.object({}).transform((): Control => ({ act: 'hang_up' })),
    takes: 'no attributes',
  },
  keys: {
    schema: z
      .object({ press: z.string().regex(dtmfDigits) })
      .transform(({ press: keys }): Control => ({ act: 'press_keys', keys })),
    takes: 'the keys in "press": up to 64 of 0 to 9, *, #, A to D, and w for half a second of waiting',
  },
  collect: {
    schema: z
      .object({
        digits: given(z.int().min(1).max(mostCollected)),
        finish: z.string().regex(telephoneKey).optional(),
        timeout_sec: given(z.int().min(1).max(longestKeyWaitSec)),
        secret: z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]).optional(),
      })
      .transform(
        ({
          digits = null,
          finish = null,
          timeout_sec: timeoutSec = usualKeyWaitSec,
          secret = false,
        }): Control => ({
          act: 'collect_keys',
          wanted: { digits, finish, timeoutSec, secret },
        }),
      ),
    takes: `"digits" from 1 to ${mostCollected}, "finish" (one key), "timeout_sec" from 1 to ${longestKeyWaitSec}, "secret" (true or false), each of which may be left out`,
  },
  transfer,
  language: {
    schema: z
      .object({ tag: z.string().max(longestTag).transform(baseLanguage).refine(isLanguage) })
      .transform(({ tag }): Control => ({ act: 'change_language', language: tag })),
    takes: `a language in "tag": one of ${languages.join(', ')}, also with a region`,
  },
  silence: { schema: z.object({}).transform((): typeof silence => silence), takes: 'no attributes' },
} as const;

type Name = keyof typeof controls;

const isName = (name: string): name is Name => Object.hasOwn(controls, name);

/** Reads a control from its name and parameters, which are JSON types or texts. */
export const readControl = (name: string, attributes: unknown): Control | typeof silence | LeftOut => {
  if (!isName(name)) return { leftOut: 'the reply has a control of an unknown name' };
  const { schema, takes } = controls[name];
  return schema.safeParse(attributes).data ?? { leftOut: `a control "${name}" is wrong: it takes ${takes}` };
};

/** Matches `keys press="1w2#"`: a name and the rest. */
const tag = /^(?<name>[a-z][a-z0-9_-]{0,40})(?<attributes>(?![a-z0-9_-])[^]*)?$/iu;

/** Matches the slash of an empty tag and white space around it. */
const tagEnd = /(?<![\s/])[\s/]+$/u;

const attribute = /(?<![a-z_-])([a-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>]+))/giu;

const decoded = (text: string): string =>
  text.replaceAll(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/giu, decodeReference);

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(attribute)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      decoded(double ?? single ?? bare ?? ''),
    ]),
  );

/** Void elements of HTML and SSML, which are not controls. */
const emptyElements = new Set(
  'area base br break col embed hr img input link meta source track wbr'.split(' '),
);

/**
 * Parses a control written as a tag: `<keys press="1"/>`, also without its slash. Returns undefined for any other tag,
 * which is part of the text. An empty tag with an unknown name counts as a misspelled control.
 */
export const readControlTag = (source: string): Control | typeof silence | LeftOut | undefined => {
  const end = tagEnd.exec(source)?.[0] ?? '';
  const { name = '', attributes = '' } = tag.exec(source.slice(0, source.length - end.length))?.groups ?? {};
  const known = name.toLowerCase();
  if (isName(known)) return readControl(known, attributesOf(attributes));
  const isEmpty = end.includes('/') && /^(?:\s|$)/u.test(attributes);
  if (!isEmpty || known === '' || emptyElements.has(known)) return undefined;
  return readControl(known, attributesOf(attributes));
};

/** Remark for a tag that begins as a control and is cut off. */
export const unclosed: LeftOut = { leftOut: 'the reply has a control that is not closed by "/>"' };

const controlStart = /^<(?<name>[a-z]+)(?<rest>$|[\s/])/iu;

/** Whether a text begins with the opening of a control tag. */
export const opensControl = (text: string): boolean => {
  const name = controlStart.exec(text)?.groups?.['name']?.toLowerCase();
  return name !== undefined && isName(name);
};

/** Whether a text is the beginning of a control tag, cut off within its name. */
export const isCutControl = (text: string): boolean =>
  /^<[a-z]+$/iu.test(text) &&
  Object.keys(controls).some((name) => name.startsWith(text.slice(1).toLowerCase()));

/** Maximum number of controls in a list. Usually each object has one. */
const mostListed = 20;

const listed = z.array(z.record(z.string(), z.unknown())).max(mostListed);

/** Reads the controls that an answer lists beside its text: `[{"keys": {"press": "1"}}, {"hangup": {}}]`. */
export const readListedControls = (list: unknown): (Control | typeof silence | LeftOut)[] => {
  const found = listed.safeParse(list).data?.flatMap((one) => Object.entries(one));
  return found === undefined || found.length > mostListed
    ? [{ leftOut: `"controls" is wrong: it is a list of up to ${mostListed} objects with one control each` }]
    : found.map(([name, attributes]) => readControl(name, attributes));
};
