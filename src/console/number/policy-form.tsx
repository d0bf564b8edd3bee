import { languages } from '#src/domain/language.ts';
import { listenInPolicies } from '#src/domain/listen-in.ts';
import { menuPolicies, screeningPolicies, voicemailPolicies } from '#src/domain/voicemail.ts';
import { getUsage, getWorkspace, listTrunks, updateNumber } from '../api.ts';
import type { PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { numberWords } from '../language/number-words.ts';
import { languageOptions } from '../pages/new-number.tsx';
import { AreaField, FormBody, SelectField, TextField } from '../parts/field.tsx';
import { numberFields, textFields, useForm, type FieldsOf, type FormValues } from '../parts/form.ts';
import { usePolled } from '../polled.ts';
import { DailyMinutesField } from './daily-minutes-field.tsx';
import { DestinationFields } from './destination-fields.tsx';
import { SpeechFields } from './speech-fields.tsx';
import { TransferFields, transferIn, transferValues } from './transfer-field.tsx';
import { LimitFields, policyIn, policyValues, RecordingFields, TurnFields } from './policy-fields.tsx';
import { Section, SectionMenu } from './sections.tsx';

/** Field for whether admins may listen to the number's calls in progress. */
const ListenInField = ({ form }: { form: FieldsOf<FormValues> }) => {
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

const texted = textFields(
  'greeting',
  'voicemail_message',
  'caller_name',
  'recognizer',
  'synthesizer',
  'voice',
  'trunk_id',
);

const minutes = numberFields('daily_minutes');

const valuesOf = (number: PhoneNumber) => ({
  language: number.language as string,
  voicemail: number.voicemail as string,
  screening: number.screening as string,
  menu: number.menu as string,
  listen_in: number.listen_in as string,
  ...texted.of(number),
  ...minutes.of(number),
  ...policyValues(number),
  ...transferValues(number),
});

/**
 * Form of a number's policy. An empty field inherits from the workspace, then from the platform
 * (guides/design/calls.md, "Policy").
 */
export const PolicyForm = ({ number, onSaved }: { number: PhoneNumber; onSaved: () => void }) => {
  const t = texts.value.numbers.policy;
  const trunks = usePolled('trunks', listTrunks).value ?? [];
  const workspace = usePolled('workspace', getWorkspace).value;
  const usage = usePolled('usage', getUsage).value;
  const form = useForm(valuesOf(number), async (values) => {
    const saved = await updateNumber(number.id, {
      ...policyIn(values),
      ...transferIn(values),
      language: languages.find((one) => one === values.language) ?? number.language,
      voicemail: voicemailPolicies.find((one) => one === values.voicemail) ?? number.voicemail,
      screening: screeningPolicies.find((one) => one === values.screening) ?? number.screening,
      menu: menuPolicies.find((one) => one === values.menu) ?? number.menu,
      listen_in: listenInPolicies.find((one) => one === values.listen_in) ?? number.listen_in,
      ...texted.in(values),
      ...minutes.in(values),
    });
    onSaved();
    return valuesOf(saved);
  });
  const title = numberWords.value.sections;
  const below = workspace?.effective;
  return (
    <>
      <p class="lead">{t.lead}</p>
      <div class="settings">
        <SectionMenu
          label={numberWords.value.sectionMenu}
          sections={sectionNames.map((name) => [name, title[name]])}
        />
        <FormBody form={form} submit={texts.value.shell.form.save}>
          <Section name="greeting" title={title.greeting}>
            <SelectField
              form={form}
              name="language"
              label={texts.value.numbers.language}
              options={languageOptions()}
            />
            <AreaField
              form={form}
              name="greeting"
              rows={2}
              label={t.greeting}
              hint={t.greetingHint}
              isOptional
            />
          </Section>
          <Section name="speech" title={title.speech}>
            <SpeechFields form={form} />
          </Section>
          <Section name="turns" title={title.turns}>
            <TurnFields form={form} below={below} />
          </Section>
          <Section name="machines" title={title.machines}>
            <MachineFields form={form} />
          </Section>
          <Section name="limits" title={title.limits}>
            <div class="columns">
              <LimitFields form={form} below={below} />
              <DailyMinutesField
                form={form}
                below={null}
                used={usage?.numbers.find(({ number_id: id }) => id === number.id)?.talked_minutes}
              />
            </div>
          </Section>
          <Section name="recording" title={title.recording}>
            <div class="columns">
              <RecordingFields form={form} below={below} />
            </div>
            <ListenInField form={form} />
          </Section>
          <Section name="destinations" title={title.destinations}>
            <SelectField
              form={form}
              name="trunk_id"
              label={t.trunk}
              options={[['', t.trunkAny], ...trunks.map(({ id, name }): [string, string] => [id, name])]}
            />
            <DestinationFields form={form} below={below?.destinations} isNarrowing />
          </Section>
          <Section name="transfer" title={title.transfer}>
            <TransferFields form={form} />
          </Section>
        </FormBody>
      </div>
    </>
  );
};

const sectionNames = [
  'greeting',
  'speech',
  'turns',
  'machines',
  'limits',
  'recording',
  'destinations',
  'transfer',
] as const;

/** Fields for outbound calls that no person answers. */
const MachineFields = ({ form }: { form: FieldsOf<FormValues> }) => {
  const t = texts.value.numbers.policy;
  return (
    <>
      <SelectField
        form={form}
        name="voicemail"
        label={t.voicemail}
        options={voicemailPolicies.map((one) => [one, t.voicemailPolicies[one]])}
      />
      {form.values['voicemail'] === 'leave_message' && (
        <AreaField
          form={form}
          name="voicemail_message"
          rows={2}
          label={t.voicemail_message}
          hint={t.voicemailMessageHint}
          isOptional
        />
      )}
      <SelectField
        form={form}
        name="screening"
        label={t.screening}
        options={screeningPolicies.map((one) => [one, t.screeningPolicies[one]])}
      />
      {form.values['screening'] === 'answer' && (
        <TextField form={form} name="caller_name" label={t.caller_name} hint={t.callerNameHint} isOptional />
      )}
      <SelectField
        form={form}
        name="menu"
        label={t.menu}
        options={menuPolicies.map((one) => [one, t.menuPolicies[one]])}
      />
    </>
  );
};
