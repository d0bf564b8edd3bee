/** Whether admins may listen to the number's calls in progress. */
import { listenInPolicies } from '#src/domain/listen-in.ts';
import { texts } from '../language/language.ts';
import { SelectField } from '../parts/field.tsx';
import type { FieldsOf, FormValues } from '../parts/form.ts';

export const ListenInField = ({ form }: { form: FieldsOf<FormValues> }) => {
  const t = texts.value.numbers.listenIn;
  return (
    <SelectField
      form={form}
      name="listen_in"
      label={t.label}
      hint={t.hint}
      options={listenInPolicies.map((one) => [one, t.policies[one]])}
    />
  );
};
