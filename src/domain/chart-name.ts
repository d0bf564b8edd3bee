/** Charts of a call whose transitions are stored, outermost first (machines/charts.md). */
export const journalledChartNames = ['call', 'conversation', 'voicemail'] as const;

export type JournalledChartName = (typeof journalledChartNames)[number];

/** Charts of its line: the line itself, and the legs. The names are those of the files and of the actors. */
export const lineChartNames = ['line-life', 'outbound-leg', 'inbound-leg', 'second-leg'] as const;

export type LineChartName = (typeof lineChartNames)[number];

/** States of these charts while they exist. */
export type LineChartStates = Partial<Record<LineChartName, string | undefined>>;

/** All charts that are shown beside a call. A second leg has the chart of an outbound leg. */
export const chartNames = [...journalledChartNames, 'line-life', 'outbound-leg', 'inbound-leg'] as const;

export type ChartName = (typeof chartNames)[number];
