/** How much of a chart's picture is seen, and where. Lengths in pixels; the scale 1 shows the picture as it was drawn. */

export type Size = { width: number; height: number };

export type Point = { x: number; y: number };

export type ChartView = {
  /** `whole` fits the picture into its frame, however large that is. */
  zoom: number | 'whole';
  /** Whether it is moved to the state that the call is in. Who moves it by hand looks at something else. */
  isFollowing: boolean;
};

export type ChartMove = 'in' | 'out' | 'whole' | 'follow' | 'by-hand';

const zoomStep = 1.25;
const largest = 2;

/** The words in the boxes can be read, and what is around the state is seen. */
const legible = 0.8;

export const firstView: ChartView = { zoom: legible, isFollowing: true };

export const wholeScale = (picture: Size, frame: Size): number =>
  Math.min(1, frame.width / picture.width, frame.height / picture.height);

/** A picture that fits is not shown smaller than that. */
export const scaleOf = ({ zoom }: ChartView, picture: Size, frame: Size): number => {
  const whole = wholeScale(picture, frame);
  return zoom === 'whole' ? whole : Math.min(largest, Math.max(whole, zoom));
};

/** `scale` is the one that is seen now. */
export const viewAfter = (view: ChartView, move: ChartMove, scale: number): ChartView => {
  switch (move) {
    case 'in':
      return { ...view, zoom: Math.min(largest, scale * zoomStep) };
    case 'out':
      return { ...view, zoom: scale / zoomStep };
    case 'whole':
      return { ...view, zoom: 'whole' };
    case 'follow':
      return { zoom: view.zoom === 'whole' ? legible : view.zoom, isFollowing: true };
    default:
      return { ...view, isFollowing: false };
  }
};

/** What stands still under a pointer, or in the middle, while the scale changes: where to scroll to. */
export const scrollAround = (at: Point, scrolled: Point, before: number, after: number): Point => ({
  x: ((scrolled.x + at.x) / before) * after - at.x,
  y: ((scrolled.y + at.y) / before) * after - at.y,
});
