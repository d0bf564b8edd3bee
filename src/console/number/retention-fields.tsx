/** Retention of recordings and transcripts: two fields that are set together, or both empty to inherit. */
import { longestRetentionDays, type Retention } from '#src/domain/retention.ts';
import { texts } from '../language/language.ts';
import { TextField } from '../parts/field.tsx';
import { wholeNumber, type FieldsOf, type FormValues } from '../parts/form.ts';

const kinds = ['recordings', 'words'] as const;

type Values = Record<`retention_days.${(typeof kinds)[number]}`, string>;

export const retentionValues = (retention: Retention | null): Values => ({
  'retention_days.recordings': String(retention?.recordings ?? ''),
  'retention_days.words': String(retention?.words ?? ''),
});

/** If only one field is set, the other one means "kept for ever". */
export const retentionIn = (values: Values): Retention | null => {
  const recordings = wholeNumber('retention_days.recordings', values['retention_days.recordings']);
  const words = wholeNumber('retention_days.words', values['retention_days.words']);
  return recordings === null && words === null ? null : { recordings, words };
};

/** `below` is the inherited value if both are empty, once it is loaded. */
export const RetentionFields = ({
  form,
  below,
}: {
  form: FieldsOf<FormValues>;
  below: Retention | undefined;
}) => {
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
