import { getChartDefinition } from '../api.ts';
import type { ChartName } from '#src/domain/chart-name.ts';
import { texts } from '../language/language.ts';
import { Action } from '../parts/action.tsx';
import { saveFile } from '../parts/save-file.ts';

/** Saves a chart's definition for Stately Studio and XState. */
export const SaveDefinition = ({ name }: { name: ChartName }) => (
  <Action
    isForAll
    label={texts.value.calls.one.definition}
    act={async () => {
      const definition = JSON.stringify(await getChartDefinition(name), null, 2);
      saveFile(new Blob([definition], { type: 'application/json' }), `${name}.json`);
    }}
  />
);
