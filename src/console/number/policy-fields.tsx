/** The call policy of a number or of the workspace. An empty field falls back to what is below. */
import type { CallPolicy } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { SelectField, TextField } from '../parts/field.tsx';
import { BargeInFields, bargeInOf, bargeInValues } from './barge-in-fields.tsx';
import { wholeNumber, type FieldsOf, type FormValues } from '../parts/form.ts';
import { destinationsIn, destinationValues } from './destination-fields.tsx';
import { TurnEndFields, turnEndOf, turnEndValues } from './turn-end-fields.tsx';

/** As the API bounds them. */
const bounds = {
  max_duration_sec: [60, 1800],
  default_duration_sec: [60, 1800],
  silence_timeout_sec: [5, 600],
  ring_timeout_sec: [5, 180],
} as const;

type SecondsField = keyof typeof bounds;

const secondsFields = Object.keys(bounds) as SecondsField[];

export const numberText = (value: number | null): string => (value === null ? '' : String(value));

export const policyValues = (policy: CallPolicy) => ({
  max_duration_sec: numberText(policy.max_duration_sec),
  default_duration_sec: numberText(policy.default_duration_sec),
  silence_timeout_sec: numberText(policy.silence_timeout_sec),
  ring_timeout_sec: numberText(policy.ring_timeout_sec),
  max_concurrent_calls: numberText(policy.max_concurrent_calls),
  recording_enabled: policy.recording_enabled === null ? '' : String(policy.recording_enabled),
  ...bargeInValues(policy.barge_in),
  ...turnEndValues(policy.turn_end),
  ...destinationValues(policy.destinations),
});

export const policyIn = (values: ReturnType<typeof policyValues>): CallPolicy => ({
  max_duration_sec: wholeNumber('max_duration_sec', values.max_duration_sec),
  default_duration_sec: wholeNumber('default_duration_sec', values.default_duration_sec),
  silence_timeout_sec: wholeNumber('silence_timeout_sec', values.silence_timeout_sec),
  ring_timeout_sec: wholeNumber('ring_timeout_sec', values.ring_timeout_sec),
  max_concurrent_calls: wholeNumber('max_concurrent_calls', values.max_concurrent_calls),
  recording_enabled: values.recording_enabled === '' ? null : values.recording_enabled === 'true',
  barge_in: bargeInOf(values),
  turn_end: turnEndOf(values),
  destinations: destinationsIn(values),
});

/** `below` is what holds for an empty field, where it is known already. */
export const PolicyFields = ({
  form,
  below,
}: {
  form: FieldsOf<FormValues>;
  below: { [Name in keyof CallPolicy]: NonNullable<CallPolicy[Name]> } | undefined;
}) => {
  const t = texts.value.numbers.policy;
  const { byDefault } = texts.value.shell.form;
  const instead = (words: string | number | undefined): string =>
    words === undefined ? byDefault : `${byDefault}: ${words}`;
  const recording = below && (below.recording_enabled ? t.recordingOn : t.recordingOff);
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
      <BargeInFields form={form} below={below?.barge_in} />
      <TurnEndFields form={form} below={below?.turn_end} />
    </>
  );
};
