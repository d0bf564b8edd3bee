/** The charts of a call, from the outermost in (machines/charts.md). */
export const chartNames = ['call', 'conversation', 'voicemail'] as const;

export type ChartName = (typeof chartNames)[number];
