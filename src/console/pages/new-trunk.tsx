import { useState } from 'preact/hooks';
import { createTrunk } from '../api.ts';
import { texts } from '../language/language.ts';
import { FormBody } from '../parts/field.tsx';
import { useForm } from '../parts/form.ts';
import { Card, Page } from '../parts/page.tsx';
import { go, linkTo } from '../shown-page.ts';
import { TrunkChoiceFields, type TrunkChoice } from '../trunk/preset-field.tsx';
import { fieldsOfKind, trunkPresets } from '../trunk/presets.ts';
import { TrunkFields, trunkRequest, trunkValues } from '../trunk/trunk-fields.tsx';

export const NewTrunkPage = () => {
  const t = texts.value.trunks;
  const [chosen, choose] = useState<TrunkChoice>({ kind: 'provider', preset: undefined });
  const form = useForm(trunkValues(), async (values) => {
    const { id } = await createTrunk(trunkRequest(values));
    go(linkTo('trunks', id));
  });
  return (
    <Page title={t.add} lead={t.lead} back={{ to: linkTo('trunks'), label: texts.value.shell.nav.trunks }}>
      <Card title={t.edit}>
        <FormBody form={form} submit={t.create} saved={null}>
          <TrunkChoiceFields form={form} chosen={chosen} choose={choose} />
          <TrunkFields
            form={form}
            hasPassword={false}
            hostPattern={chosen.preset && trunkPresets[chosen.preset].hostPattern}
            front={fieldsOfKind[chosen.kind]}
          />
        </FormBody>
      </Card>
    </Page>
  );
};
