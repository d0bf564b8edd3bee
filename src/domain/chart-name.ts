/** Charts of a call whose transitions are stored, outermost first (machines/charts.md). */
export const journalledChartNames = ['call', 'conversation', 'voicemail'] as const;

export type JournalledChartName = (typeof journalledChartNames)[number];

/**
 * Names of the charts of a call's line: the line itself, and its legs. These names are also those of the files and of
 * the actors.
 */
export const lineChartNames = ['line-life', 'outbound-leg', 'inbound-leg', 'second-leg'] as const;

export type LineChartName = (typeof lineChartNames)[number];

/** States of the line's charts while they exist. */
export type LineChartStates = Partial<Record<LineChartName, string | undefined>>;

/** All charts that are shown for a call. A second leg has the chart of an outbound leg. */
export const chartNames = [...journalledChartNames, 'line-life', 'outbound-leg', 'inbound-leg'] as const;

export type ChartName = (typeof chartNames)[number];
