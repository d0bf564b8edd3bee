/** The announcement to the other party and the consent required from it (guides/privacy.md). */
import type { CallPolicy } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { AreaField, SelectField } from '../parts/field.tsx';
import type { FieldsOf, FormValues } from '../parts/form.ts';

type Consent = NonNullable<CallPolicy['consent']>;

/** The API's consent requirements, and `nothing`: no announcement, whatever the workspace sets. */
const choices = ['nothing', 'none', 'speech', 'key'] as const;

type Choice = (typeof choices)[number];

const choiceOf = ({ announce, require }: Consent): Choice =>
  announce === null ? 'nothing' : (require ?? 'none');

export const consentValues = (consent: Consent | null) => ({
  'consent.require': consent === null ? '' : choiceOf(consent),
  'consent.announce': consent?.announce ?? '',
});

export const consentIn = (values: ReturnType<typeof consentValues>): Consent | null => {
  const choice = choices.find((one) => one === values['consent.require']);
  if (choice === undefined) return null;
  if (choice === 'nothing') return { announce: null, require: 'none' };
  // An empty announcement is sent, so that the API rejects it with an error at its field.
  return { announce: values['consent.announce'].trim(), require: choice };
};

/** `below` is the inherited value, once it is loaded. */
export const ConsentFields = ({
  form,
  below,
}: {
  form: FieldsOf<FormValues>;
  below: Consent | undefined;
}) => {
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
