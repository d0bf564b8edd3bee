import { getUsage, getWorkspace, updateWorkspace } from '../api.ts';
import type { Workspace } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { DailyMinutesField } from '../number/daily-minutes-field.tsx';
import { DestinationFields } from '../number/destination-fields.tsx';
import { PolicyFields, policyIn, policyValues } from '../number/policy-fields.tsx';
import { FormBody, SelectField, TextField } from '../parts/field.tsx';
import { numberFields, useForm } from '../parts/form.ts';
import { Card, Loading, Page } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';

const limits = numberFields('max_calls_in_progress', 'daily_minutes');

const valuesOf = (workspace: Workspace) => ({
  name: workspace.name,
  time_zone: workspace.time_zone,
  ...policyValues(workspace),
  ...limits.of(workspace),
});

/** Time zones known to the browser, and the stored one. */
const zonesWith = (stored: string): [string, string][] =>
  [...new Set([stored, 'UTC', ...Intl.supportedValuesOf('timeZone')])].toSorted().map((zone) => [zone, zone]);

export const WorkspacePage = () => {
  const t = texts.value.workspace;
  const { value: workspace, reload } = usePolled('workspace', getWorkspace);
  if (workspace === undefined) return <Loading />;
  return (
    <Page title={texts.value.shell.nav.workspace} lead={t.lead}>
      <WorkspaceForm workspace={workspace} onSaved={reload} />
    </Page>
  );
};

const WorkspaceForm = ({ workspace, onSaved }: { workspace: Workspace; onSaved: () => void }) => {
  const t = texts.value.workspace;
  const { byDefault, save } = texts.value.shell.form;
  const usage = usePolled('usage', getUsage).value;
  const form = useForm(valuesOf(workspace), async (values) => {
    const saved = await updateWorkspace({
      name: values.name,
      time_zone: values.time_zone,
      ...policyIn(values),
      ...limits.in(values),
    });
    onSaved();
    return valuesOf(saved);
  });
  return (
    <FormBody form={form} submit={save}>
      <Card title={t.identity}>
        <div class="columns">
          <TextField form={form} name="name" label={t.name} />
          <SelectField
            form={form}
            name="time_zone"
            label={t.timeZone}
            hint={t.timeZoneHint}
            options={zonesWith(workspace.time_zone)}
          />
        </div>
      </Card>
      <Card title={t.limits} lead={t.limitsLead}>
        <div class="columns">
          <TextField
            form={form}
            name="max_calls_in_progress"
            mode="numeric"
            label={t.max_calls_in_progress}
            hint={t.maxCallsHint}
            placeholder={`${byDefault}: ${workspace.effective.max_calls_in_progress}`}
          />
          <DailyMinutesField
            form={form}
            below={workspace.effective.daily_minutes}
            used={usage?.workspace.talked_minutes}
          />
        </div>
      </Card>
      <Card title={texts.value.numbers.policy.title} lead={t.policyLead}>
        <div class="columns">
          <PolicyFields form={form} below={workspace.effective} />
        </div>
      </Card>
      <section class="card">
        <DestinationFields form={form} below={workspace.effective.destinations} />
      </section>
    </FormBody>
  );
};
