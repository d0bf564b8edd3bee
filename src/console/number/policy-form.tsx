import { languages } from '#src/domain/language.ts';
import { voicemailPolicies } from '#src/domain/voicemail.ts';
import { getUsage, getWorkspace, listTrunks, updateNumber } from '../api.ts';
import type { PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { languageOptions } from '../pages/new-number.tsx';
import { AreaField, FormBody, SelectField, TextField } from '../parts/field.tsx';
import { useForm, wholeNumber } from '../parts/form.ts';
import { Card } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';
import { DailyMinutesField } from './daily-minutes-field.tsx';
import { DestinationFields } from './destination-fields.tsx';
import { numberText, PolicyFields, policyIn, policyValues } from './policy-fields.tsx';

const valuesOf = (number: PhoneNumber) => ({
  language: number.language as string,
  greeting: number.greeting ?? '',
  ...policyValues(number),
  daily_minutes: numberText(number.daily_minutes),
  voicemail: number.voicemail as string,
  voicemail_message: number.voicemail_message ?? '',
  recognizer: number.recognizer ?? '',
  synthesizer: number.synthesizer ?? '',
  voice: number.voice ?? '',
  trunk_id: number.trunk_id ?? '',
});

/** What is not given here falls back to the workspace, then to the platform (guides/design/calls.md, "Policy"). */
export const PolicyForm = ({ number, onSaved }: { number: PhoneNumber; onSaved: () => void }) => {
  const t = texts.value.numbers.policy;
  const { byDefault } = texts.value.shell.form;
  const trunks = usePolled('trunks', listTrunks).value ?? [];
  const workspace = usePolled('workspace', getWorkspace).value;
  const usage = usePolled('usage', getUsage).value;
  const form = useForm(valuesOf(number), async (values) => {
    const saved = await updateNumber(number.id, {
      ...policyIn(values),
      language: languages.find((one) => one === values.language) ?? number.language,
      greeting: values.greeting.trim() || null,
      daily_minutes: wholeNumber('daily_minutes', values.daily_minutes),
      voicemail: voicemailPolicies.find((one) => one === values.voicemail) ?? number.voicemail,
      voicemail_message: values.voicemail_message.trim() || null,
      recognizer: values.recognizer.trim() || null,
      synthesizer: values.synthesizer.trim() || null,
      voice: values.voice.trim() || null,
      trunk_id: values.trunk_id || null,
    });
    onSaved();
    return valuesOf(saved);
  });
  return (
    <Card title={t.title} lead={t.lead}>
      <FormBody form={form} submit={texts.value.shell.form.save}>
        <SelectField
          form={form}
          name="language"
          label={texts.value.numbers.language}
          options={languageOptions()}
        />
        <AreaField form={form} name="greeting" rows={2} label={t.greeting} hint={t.greetingHint} isOptional />
        <SelectField
          form={form}
          name="voicemail"
          label={t.voicemail}
          options={voicemailPolicies.map((one) => [one, t.voicemailPolicies[one]])}
        />
        {form.values.voicemail === 'leave_message' && (
          <AreaField
            form={form}
            name="voicemail_message"
            rows={2}
            label={t.voicemail_message}
            hint={t.voicemailMessageHint}
            isOptional
          />
        )}
        <div class="columns">
          <PolicyFields form={form} below={workspace?.effective} />
          <DailyMinutesField
            form={form}
            below={null}
            used={usage?.numbers.find(({ number_id: id }) => id === number.id)?.talked_minutes}
          />
          {(['recognizer', 'synthesizer', 'voice'] as const).map((name) => (
            <TextField
              key={name}
              form={form}
              name={name}
              label={t[name]}
              hint={t.speechHints[name]}
              placeholder={byDefault}
            />
          ))}
          <SelectField
            form={form}
            name="trunk_id"
            label={t.trunk}
            options={[['', t.trunkAny], ...trunks.map(({ id, name }): [string, string] => [id, name])]}
          />
        </div>
        <DestinationFields form={form} below={workspace?.effective.destinations} isNarrowing />
      </FormBody>
    </Card>
  );
};
