import { useState } from 'preact/hooks';
import { exportAudit, listAudit } from '../api.ts';
import type { AuditEntry } from '../api/records.ts';
import {
  AuditFilters,
  auditFiltersNow,
  AuditSearch,
  isAuditNarrowed,
  useAuditNames,
} from '../audit/audit-filters.tsx';
import { AuditRow } from '../audit/audit-row.tsx';
import { inGroups } from '../audit/groups.ts';
import { explain } from '../language/explain.ts';
import { texts } from '../language/language.ts';
import { Action, MoreButton } from '../parts/action.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { saveFile } from '../parts/save-file.ts';
import { usePolled } from '../polled.ts';

const save = async (): Promise<void> => saveFile(await exportAudit(auditFiltersNow()), 'audit.csv');

export const AuditPage = () => {
  const t = texts.value.audit;
  const { callList } = texts.value;
  const names = useAuditNames();
  return (
    <Page
      title={texts.value.shell.nav.audit}
      lead={t.lead}
      beside={<Action isForAll label={callList.export} done={callList.exported} act={save} />}
    >
      <div class="call-bar audit-bar">
        <AuditSearch />
        <AuditFilters names={names} />
      </div>
      <AuditList key={JSON.stringify(auditFiltersNow())} names={names} />
    </Page>
  );
};

const AuditList = ({ names }: { names: ReadonlyMap<string, string> }) => {
  const t = texts.value.audit;
  const [filters] = useState(auditFiltersNow);
  const { value: first, problem } = usePolled('audit', () => listAudit(filters, null));
  const [older, setOlder] = useState<{ entries: AuditEntry[]; cursor: string | null }>();
  if (problem !== undefined)
    return (
      <Empty title={texts.value.callList.refused} hint={explain(problem.message, texts.value.sayings)} />
    );
  if (first === undefined) return <Loading />;
  const entries = [...first.entries, ...(older?.entries ?? [])];
  const cursor = older === undefined ? first.next_cursor : older.cursor;
  const more = async (): Promise<void> => {
    const next = await listAudit(filters, cursor);
    setOlder({ entries: [...(older?.entries ?? []), ...next.entries], cursor: next.next_cursor });
  };
  if (entries.length === 0)
    return isAuditNarrowed() ? (
      <Empty title={t.nothingFits} hint={t.nothingFitsHint} />
    ) : (
      <Empty title={t.empty} hint={t.emptyHint} />
    );
  return (
    <>
      <ul class="rows" aria-label={texts.value.shell.nav.audit}>
        {inGroups(entries).map((group) => (
          <AuditRow key={group.entry.id} group={group} names={names} />
        ))}
      </ul>
      {cursor !== null && <MoreButton load={more} />}
    </>
  );
};
