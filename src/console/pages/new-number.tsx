import { createNumber } from '../api.ts';
import { language, texts } from '../language/language.ts';
import { FormBody, SelectField, TextField } from '../parts/field.tsx';
import { useForm } from '../parts/form.ts';
import { Page } from '../parts/page.tsx';
import { go, linkTo } from '../shown-page.ts';

export const languageOptions = (): [string, string][] => Object.entries(texts.value.numbers.languages);

export const NewNumberPage = () => {
  const t = texts.value.numbers;
  const form = useForm({ number: '', language: language.value }, async (values) => {
    const { id } = await createNumber(values);
    go(linkTo('numbers', id));
  });
  return (
    <Page
      title={t.add}
      lead={t.addLead}
      back={{ to: linkTo('numbers'), label: texts.value.shell.nav.numbers }}
    >
      <section class="card narrow">
        <FormBody form={form} submit={t.create} saved={null}>
          <TextField form={form} name="number" mode="tel" label={t.number} hint={t.numberHint} />
          <SelectField form={form} name="language" label={t.language} options={languageOptions()} />
        </FormBody>
      </section>
    </Page>
  );
};
