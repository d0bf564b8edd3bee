/** Call policy of a number or of the workspace. An empty field inherits its value. */
import { bargeInBounds, bargeInModes, usualBargeIn } from '#src/domain/barge-in.ts';
import { turnEndBounds, turnEndModes, usualTurnEnd } from '#src/domain/turn-end.ts';
import type { CallPolicy } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { SelectField, TextField, AreaField } from '../parts/field.tsx';
import { numberFields, type FieldsOf, type FormValues, wholeNumber } from '../parts/form.ts';
import { destinationsIn, destinationValues } from './destination-fields.tsx';
import { modeFields } from './mode-fields.tsx';
import { longestRetentionDays, type Retention } from '#src/domain/retention.ts';

type Consent = NonNullable<CallPolicy['consent']>;

/**
 * Options of the consent field: the API's consent requirements, and `nothing` for no announcement, whatever the
 * workspace sets.
 */
const choices = ['nothing', 'none', 'speech', 'key'] as const;

type Choice = (typeof choices)[number];

const choiceOf = ({ announce, require }: Consent): Choice =>
  announce === null ? 'nothing' : (require ?? 'none');

/**
 * Values of the consent fields: the announcement to the other party, and the consent that is required
 * (guides/privacy.md).
 */
const consentValues = (consent: Consent | null) => ({
  'consent.require': consent === null ? '' : choiceOf(consent),
  'consent.announce': consent?.announce ?? '',
});

const consentIn = (values: ReturnType<typeof consentValues>): Consent | null => {
  const choice = choices.find((one) => one === values['consent.require']);
  if (choice === undefined) return null;
  if (choice === 'nothing') return { announce: null, require: 'none' };
  // An empty announcement is sent, so that the API rejects it with an error at this field.
  return { announce: values['consent.announce'].trim(), require: choice };
};

/** Fields for consent. `below` is the inherited value; undefined until it is loaded. */
const ConsentFields = ({ form, below }: { form: FieldsOf<FormValues>; below: Consent | undefined }) => {
  const t = texts.value.numbers.policy.consent;
  const { byDefault } = texts.value.shell.form;
  const chosen = form.values['consent.require'] ?? '';
  return (
    <>
      <SelectField
        form={form}
        name="consent.require"
        label={t.require}
        options={[
          ['', below === undefined ? byDefault : `${byDefault}: ${t.choices[choiceOf(below)]}`],
          ...choices.map((choice): [string, string] => [choice, t.choices[choice]]),
        ]}
      />
      {chosen !== '' && chosen !== 'nothing' && (
        <AreaField form={form} name="consent.announce" rows={2} label={t.announce} hint={t.announceHint} />
      )}
    </>
  );
};

const kinds = ['recordings', 'words'] as const;

type Values = Record<`retention_days.${(typeof kinds)[number]}`, string>;

/** Values of the two retention fields, for recordings and words. Both are set, or both are empty and inherit. */
const retentionValues = (retention: Retention | null): Values => ({
  'retention_days.recordings': String(retention?.recordings ?? ''),
  'retention_days.words': String(retention?.words ?? ''),
});

/** Returns the retention of the request. If only one field is set, the other one means "kept for ever". */
const retentionIn = (values: Values): Retention | null => {
  const recordings = wholeNumber('retention_days.recordings', values['retention_days.recordings']);
  const words = wholeNumber('retention_days.words', values['retention_days.words']);
  return recordings === null && words === null ? null : { recordings, words };
};

/** Fields for retention. `below` is the inherited value if both are empty; undefined until it is loaded. */
const RetentionFields = ({ form, below }: { form: FieldsOf<FormValues>; below: Retention | undefined }) => {
  const t = texts.value.numbers.policy.retention;
  const { byDefault } = texts.value.shell.form;
  const isSaid = kinds.some((kind) => form.values[`retention_days.${kind}`] !== '');
  const instead = (days: number | null | undefined): string => {
    if (isSaid) return t.forEver;
    if (days === undefined) return byDefault;
    return `${byDefault}: ${days === null ? t.forEver : t.days(days)}`;
  };
  return (
    <>
      {kinds.map((kind) => (
        <TextField
          key={kind}
          form={form}
          name={`retention_days.${kind}`}
          mode="numeric"
          label={t[kind]}
          hint={t.hints[kind](longestRetentionDays)}
          placeholder={instead(below?.[kind])}
        />
      ))}
    </>
  );
};

/** Minimum and maximum values of the API. */
const bounds = {
  max_duration_sec: [60, 1800],
  default_duration_sec: [60, 1800],
  silence_timeout_sec: [5, 600],
  ring_timeout_sec: [5, 180],
} as const;

type SecondsField = keyof typeof bounds;

const secondsFields = Object.keys(bounds) as SecondsField[];

const numbers = numberFields(...secondsFields, 'max_concurrent_calls');

const bargeIn = modeFields({
  path: 'barge_in',
  modes: bargeInModes,
  numbers: [
    { name: 'onset_ms', bounds: bargeInBounds.onsetMs, usual: usualBargeIn.onsetMs },
    { name: 'speech_ms', bounds: bargeInBounds.speechMs, usual: usualBargeIn.speechMs },
    { name: 'resume_ms', bounds: bargeInBounds.resumeMs, usual: usualBargeIn.resumeMs },
  ],
  hasNumbers: (mode) => mode === 'pause',
  words() {
    const t = texts.value.numbers.policy;
    return { label: t.bargeIn, modes: t.bargeInModes, hints: t.bargeInHints, numbers: t };
  },
});

const turnEnd = modeFields({
  path: 'turn_end',
  modes: turnEndModes,
  numbers: [
    { name: 'min_silence_ms', bounds: turnEndBounds.minSilenceMs, usual: usualTurnEnd.minSilenceMs },
    { name: 'max_silence_ms', bounds: turnEndBounds.maxSilenceMs, usual: usualTurnEnd.maxSilenceMs },
  ],
  hasNumbers: () => true,
  words() {
    const t = texts.value.numbers.policy;
    return { label: t.turnEnd, modes: t.turnEndModes, hints: t.turnEndHints, numbers: t };
  },
});

export const policyValues = (policy: CallPolicy) => ({
  ...numbers.of(policy),
  recording_enabled: policy.recording_enabled === null ? '' : String(policy.recording_enabled),
  ...bargeIn.of(policy.barge_in),
  ...turnEnd.of(policy.turn_end),
  ...retentionValues(policy.retention_days),
  ...consentValues(policy.consent),
  ...destinationValues(policy.destinations),
});

export const policyIn = (values: ReturnType<typeof policyValues>): CallPolicy => ({
  ...numbers.in(values),
  recording_enabled: values.recording_enabled === '' ? null : values.recording_enabled === 'true',
  barge_in: bargeIn.in(values),
  turn_end: turnEnd.in(values),
  retention_days: retentionIn(values),
  consent: consentIn(values),
  destinations: destinationsIn(values),
});

type Below = { [Name in keyof CallPolicy]: NonNullable<CallPolicy[Name]> };

type FieldsProps = {
  form: FieldsOf<FormValues>;
  /** Inherited values of empty fields; undefined until they are loaded. */
  below: Below | undefined;
};

const instead = (words: string | number | undefined): string => {
  const { byDefault } = texts.value.shell.form;
  return words === undefined ? byDefault : `${byDefault}: ${words}`;
};

/** Fields for durations and the number of calls. */
export const LimitFields = ({ form, below }: FieldsProps) => {
  const t = texts.value.numbers.policy;
  return (
    <>
      {secondsFields.map((name) => (
        <TextField
          key={name}
          form={form}
          name={name}
          mode="numeric"
          label={t[name]}
          hint={t.seconds(bounds[name][0], bounds[name][1])}
          placeholder={instead(below?.[name])}
        />
      ))}
      <TextField
        form={form}
        name="max_concurrent_calls"
        mode="numeric"
        label={t.max_concurrent_calls}
        hint={t.count}
        placeholder={instead(below?.max_concurrent_calls)}
      />
    </>
  );
};

/** Fields for recording, retention and consent. */
export const RecordingFields = ({ form, below }: FieldsProps) => {
  const t = texts.value.numbers.policy;
  const recording = below && (below.recording_enabled ? t.recordingOn : t.recordingOff);
  return (
    <>
      <SelectField
        form={form}
        name="recording_enabled"
        label={t.recording}
        options={[
          ['', instead(recording)],
          ['true', t.recordingOn],
          ['false', t.recordingOff],
        ]}
      />
      <RetentionFields form={form} below={below?.retention_days} />
      <ConsentFields form={form} below={below?.consent} />
    </>
  );
};

/** Fields for interruptions and ends of turns. */
export const TurnFields = ({ form, below }: FieldsProps) => (
  <>
    <bargeIn.Fields form={form} below={below?.barge_in} />
    <turnEnd.Fields form={form} below={below?.turn_end} />
  </>
);

/** All fields of the policy. */
export const PolicyFields = (props: FieldsProps) => (
  <>
    <LimitFields {...props} />
    <RecordingFields {...props} />
    <TurnFields {...props} />
  </>
);
