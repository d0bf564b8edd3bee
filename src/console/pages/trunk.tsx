import { deleteTrunk, getTrunk, updateTrunk } from '../api.ts';
import type { Trunk } from '../api/records.ts';
import { explain } from '../language/explain.ts';
import { language, texts } from '../language/language.ts';
import { Action } from '../parts/action.tsx';
import { FormBody } from '../parts/field.tsx';
import { useForm } from '../parts/form.ts';
import { Card, Loading, Missing, Page } from '../parts/page.tsx';
import { Pill, trunkTones } from '../parts/pill.tsx';
import { dayAndTime } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { go, linkTo } from '../shown-page.ts';
import { forgetUnsaved } from '../unsaved.ts';
import { AddressStates } from '../trunk/address-states.tsx';
import { TrunkCheck } from '../trunk/trunk-check.tsx';
import { TrunkFields, trunkRequest, trunkValues } from '../trunk/trunk-fields.tsx';

const pollMs = 5_000;

export const TrunkPage = ({ id }: { id: string }) => {
  const t = texts.value.trunks;
  const back = { to: linkTo('trunks'), label: texts.value.shell.nav.trunks };
  const {
    value: trunk,
    problem,
    reload,
  } = usePolled(
    id,
    () => getTrunk(id),
    () => pollMs,
  );
  if (problem !== undefined) return <Missing back={back} />;
  if (trunk === undefined) return <Loading />;
  return (
    <Page
      title={trunk.name}
      back={back}
      lead={
        <>
          <Pill tone={trunkTones[trunk.state]}>{t.state[trunk.state]}</Pill>{' '}
          {trunk.detail !== null && explain(trunk.detail, language.value)}{' '}
          {trunk.last_seen_at !== null && t.lastSeen(dayAndTime(trunk.last_seen_at))}{' '}
          {trunk.channels_in_use > 0 && t.channels(trunk.channels_in_use)}
        </>
      }
      beside={
        <Action
          look="danger"
          label={t.remove}
          asked={{ title: t.removeTitle, text: t.removeText }}
          act={async () => {
            await deleteTrunk(id);
            forgetUnsaved();
            go(linkTo('trunks'));
          }}
        />
      }
    >
      <AddressStates trunk={trunk} />
      <TrunkCheck trunkId={id} />
      <TrunkForm trunk={trunk} onSaved={reload} />
    </Page>
  );
};

/** Starts with the values stored when the page was opened; newer states do not overwrite input. */
const TrunkForm = ({ trunk, onSaved }: { trunk: Trunk; onSaved: () => void }) => {
  const form = useForm(trunkValues(trunk), async (values) => {
    const saved = await updateTrunk(trunk.id, trunkRequest(values));
    onSaved();
    return trunkValues(saved);
  });
  return (
    <Card title={texts.value.trunks.edit}>
      <FormBody form={form} submit={texts.value.shell.form.save}>
        <TrunkFields form={form} hasPassword={trunk.password_configured} />
      </FormBody>
    </Card>
  );
};
