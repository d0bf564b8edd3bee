/**
 * Scale and position of a chart's picture. Lengths are in pixels; the scale 1 shows the picture at its original size.
 */

export type Size = { width: number; height: number };

export type Point = { x: number; y: number };

export type ChartView = {
  /** Scale of the picture; `whole` fits the picture into its frame at any size. */
  zoom: number | 'whole';
  /** Whether the view follows the call's current state. Moving the picture by hand turns this off. */
  isFollowing: boolean;
};

export type ChartMove = 'in' | 'out' | 'whole' | 'follow' | 'by-hand';

const zoomStep = 1.25;
const largest = 2;

/** Scale at which labels are legible and the surroundings of a state are visible. */
const legible = 0.8;

export const firstView: ChartView = { zoom: legible, isFollowing: true };

export const wholeView: ChartView = { zoom: 'whole', isFollowing: false };

export const wholeScale = (picture: Size, frame: Size): number =>
  Math.min(1, frame.width / picture.width, frame.height / picture.height);

/** Returns the scale for a picture. A picture that fits at the legible scale is not shown smaller. */
export const scaleOf = ({ zoom }: ChartView, picture: Size, frame: Size): number => {
  const whole = wholeScale(picture, frame);
  return zoom === 'whole' ? whole : Math.min(largest, Math.max(whole, zoom));
};

/** Returns the view after a movement. `scale` is the current scale. */
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

/**
 * Returns the scroll position that keeps the point under the pointer, or the middle, in place while the scale changes.
 */
export const scrollAround = (at: Point, scrolled: Point, before: number, after: number): Point => ({
  x: ((scrolled.x + at.x) / before) * after - at.x,
  y: ((scrolled.y + at.y) / before) * after - at.y,
});
