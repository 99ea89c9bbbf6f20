// Colours by size: the largest entities get one each; all get the colour that is rarest among those around them.

const COLOURS = 9;
const NEAR = 4; // mentions before and after that are neighbours

// The colour of each entity by id; entities of one mention have none. Colours in `kept` stay as they are.
function coloursOf(state, kept = new Map()) {
  const near = new Map(); // entity without a colour → entity → how often they are close
  for (const entity of state.entities) if (!kept.has(entity.id) && entity.mentions.length > 1) near.set(entity, new Map());
  const closeTo = (a, b) => near.get(a)?.set(b, (near.get(a).get(b) ?? 0) + 1);
  const sequence = near.size === 0 ? [] : state.order.map(mention => state.of.get(mention)).filter(entity => entity.mentions.length > 1);
  sequence.forEach((entity, at) => {
    for (let before = Math.max(0, at - NEAR); before < at; before++) {
      const other = sequence[before];
      if (other === entity) continue;
      closeTo(entity, other);
      closeTo(other, entity);
    }
  });
  const colours = new Map();
  const used = new Array(COLOURS).fill(0); // mentions that have each colour
  const large = bySize(state.entities).filter(entity => entity.mentions.length > 1);
  const choose = (entity, colour) => {
    colours.set(entity.id, colour);
    used[colour] += entity.mentions.length;
  };
  for (const entity of large) if (kept.has(entity.id)) choose(entity, kept.get(entity.id));
  for (const entity of large) {
    if (colours.has(entity.id)) continue;
    const clashes = new Array(COLOURS).fill(0);
    for (const [other, times] of near.get(entity))
      if (colours.has(other.id)) clashes[colours.get(other.id)] += times;
    let best = 0;
    for (let colour = 1; colour < COLOURS; colour++)
      if (clashes[colour] < clashes[best] || (clashes[colour] === clashes[best] && used[colour] < used[best]))
        best = colour;
    choose(entity, best);
  }
  return colours;
}

const bySize = entities => [...entities].sort((a, b) => b.mentions.length - a.mentions.length || a.id - b.id);
