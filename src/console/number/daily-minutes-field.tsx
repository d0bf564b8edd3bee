/** The daily limit on outbound minutes, with the minutes used today. */
import { texts } from '../language/language.ts';
import { TextField } from '../parts/field.tsx';
import type { FieldsOf, FormValues } from '../parts/form.ts';

export const DailyMinutesField = ({
  form,
  below,
  used,
}: {
  form: FieldsOf<FormValues>;
  /** Inherited value of an empty field; null for no limit. */
  below: number | null;
  /** Minutes used today; undefined until they are loaded. */
  used: number | undefined;
}) => {
  const t = texts.value.numbers.policy;
  const { byDefault } = texts.value.shell.form;
  return (
    <TextField
      form={form}
      name="daily_minutes"
      mode="numeric"
      label={t.daily_minutes}
      hint={used === undefined ? t.dailyMinutesHint : t.usedToday(Math.floor(used))}
      placeholder={below === null ? t.noLimit : `${byDefault}: ${below}`}
    />
  );
};
