// Soft entities and soft metrics, as corelax.relax computes them. A matrix is a list of rows; row i has i + 1 columns.
const relax = (() => {
  "use strict";
  const SMALLEST = 1e-30; // of entity probabilities, in logarithms
  const NOTHING = 1e-12; // mentions or links: a quotient of less fades out
  const TINY = 1e-30;
  const IMPOSSIBLE = -1e4;

  const sum = (values, of = value => value) => {
    let total = 0;
    for (let at = 0; at < values.length; at++) total += of(values[at], at);
    return total;
  };

  // [mention][antecedent] p(a_i = j), from lists of [antecedent, probability].
  const linkMatrix = links => links.map((row, i) => {
    const probs = new Float64Array(i + 1);
    for (const [j, p] of row) probs[j] = p;
    return probs;
  });

  // softmax(log p / T) of each row; at T = 0 all goes to the best, which is the first of equals.
  function cooled(matrix, temperature, least = 0) {
    if (temperature === 1) return matrix;
    return matrix.map(row => {
      const result = new Float64Array(row.length);
      let best = 0;
      row.forEach((p, j) => { if (p > row[best]) best = j; });
      if (temperature === 0) {
        result[best] = 1;
        return result;
      }
      const top = Math.log(row[best]);
      row.forEach((p, j) => { result[j] = Math.exp((Math.log(Math.max(p, least)) - top) / temperature); });
      const total = sum(result);
      return result.map(value => value / total);
    });
  }

  // P = (I − L)⁻¹ D, row by row: P_iu = Σ_{u ≤ j < i} p(a_i = j) P_ju, and P_ii = p(a_i = i).
  function entityProbs(links) {
    const probs = [];
    links.forEach((row, i) => {
      const result = new Float64Array(i + 1);
      for (let j = 0; j < i; j++) if (row[j]) for (let u = 0; u <= j; u++) result[u] += row[j] * probs[j][u];
      result[i] = row[i];
      probs.push(result);
    });
    return probs;
  }

  const logComplement = p => (p > 1 - Number.EPSILON ? IMPOSSIBLE : Math.log1p(-p));

  // Whether a mention is joined by others, is in company, is written, and is written alone; `keep` is the chance that
  // one which stays alone is written.
  function appearance(probs, keep) {
    const unjoined = new Float64Array(probs.length);
    probs.forEach((row, k) => { for (let i = 0; i < k; i++) unjoined[i] += logComplement(row[i]); });
    return probs.map((row, i) => {
      const joined = -row[i] * Math.expm1(unjoined[i]);
      const linked = joined + sum(row.subarray(0, i));
      const alone = keep * row[i] * Math.exp(unjoined[i]);
      return { joined, linked, alone, written: linked + alone };
    });
  }

  const pairs = n => n * (n - 1) / 2;
  const products = (total, squares) => Math.max(0, (total * total - squares) / 2); // Σ_{j<i} x_i x_j
  const share = (part, whole) => part / (whole + NOTHING * (NOTHING / (whole + TINY)) ** 3);
  const ratio = (part, whole) => (whole === 0 ? 0 : part / whole);

  function score(recallNum, recallDen, precisionNum, precisionDen, beta) {
    const recall = ratio(recallNum, recallDen), b = beta * beta;
    const precision = precisionDen > NOTHING ? precisionNum / precisionDen : 0;
    return { recall, precision, f: ratio((1 + b) * precision * recall, b * precision + recall) };
  }

  // The largest sum of cells, at most one in each row and column (Hungarian method).
  function bestAlignment(table) {
    if (!table.length || !table[0].length) return 0;
    const wide = table.length <= table[0].length;
    const rows = wide ? table.length : table[0].length, columns = wide ? table[0].length : table.length;
    const cost = (i, j) => -(wide ? table[i - 1][j - 1] : table[j - 1][i - 1]);
    const u = new Float64Array(rows + 1), v = new Float64Array(columns + 1), owner = new Int32Array(columns + 1);
    for (let i = 1; i <= rows; i++) {
      const least = new Float64Array(columns + 1).fill(Infinity), from = new Int32Array(columns + 1);
      const used = new Uint8Array(columns + 1);
      let j = 0;
      owner[0] = i;
      do {
        used[j] = 1;
        let delta = Infinity, next = 0;
        for (let k = 1; k <= columns; k++) {
          if (used[k]) continue;
          const reduced = cost(owner[j], k) - u[owner[j]] - v[k];
          if (reduced < least[k]) { least[k] = reduced; from[k] = j; }
          if (least[k] < delta) { delta = least[k]; next = k; }
        }
        for (let k = 0; k <= columns; k++) {
          if (used[k]) { u[owner[k]] += delta; v[k] -= delta; } else least[k] -= delta;
        }
        j = next;
      } while (owner[j] !== 0);
      for (; j; j = from[j]) owner[j] = owner[from[j]];
    }
    return sum(owner, (i, j) => (i && j ? -cost(i, j) : 0));
  }

  // Sums over gold × soft entities. `gold` is the entity of each mention, −1 for none; `sizes` are full sizes.
  function overlapOf(probs, appears, gold, sizes) {
    const n = probs.length, zeros = () => sizes.map(() => new Float64Array(n));
    const shared = zeros(), squares = zeros(), written = zeros(), missed = zeros();
    const system = { size: new Float64Array(n), squares: new Float64Array(n), linked: new Float64Array(n) };
    const q = sizes.map(() => 0);
    probs.forEach((row, i) => {
      const v = gold[i];
      if (v >= 0) q[v] += appears[i].written;
      row.forEach((p, u) => {
        system.size[u] += p;
        system.squares[u] += p * p;
        system.linked[u] += appears[i].linked * p;
        if (v < 0) return;
        shared[v][u] += p;
        squares[v][u] += p * p;
        written[v][u] += appears[i].written * p;
        missed[v][u] += logComplement(p);
      });
    });
    return { shared, squares, written, missed, system, q };
  }

  // Recall, precision and F_β of each metric. With `keep` = 0, entities of one mention are on neither side.
  function measure(probs, appears, gold, sizes, beta) {
    const n = probs.length, { shared, squares, written, missed, system, q } = overlapOf(probs, appears, gold, sizes);
    const total = cell => sum(sizes, (_, v) => sum(system.size, (_, u) => cell(v, u)));
    const links = (v, u) => products(shared[v][u], squares[v][u]);
    const goldMentions = sum(sizes), goldEntities = sum(sizes, g => (g > 0 ? 1 : 0));
    const mentions = sum(appears, a => a.written), entities = sum(appears, a => a.joined + a.alone);
    const common = total((v, u) => shared[v][u] + Math.expm1(missed[v][u]));
    const company = (v, u) => written[v][u] * shared[v][u];
    const similar = sizes.map((g, v) => Array.from({ length: n }, (_, u) => share(2 * written[v][u], g + system.size[u])));
    const best = bestAlignment(similar);
    const systemLinks = Float64Array.from(system.size, (s, u) => products(s, system.squares[u]));
    const cells = sizes.map((_, v) => Float64Array.from(system.size, (_, u) => links(v, u)));
    const alone = sum(appears, (a, i) => (gold[i] >= 0 && sizes[gold[i]] === 1 ? a.alone : 0));
    const column = (table, u) => sum(table, row => row[u]);

    const inside = sum(cells, row => sum(row)), allSystem = sum(systemLinks), goldLinks = sum(sizes, pairs);
    const corefer = sum(system.size, (_, u) => products(column(shared, u), column(squares, u))) - inside;
    const systemApart = Math.max(0, products(mentions, sum(appears, a => a.written ** 2)) - allSystem);
    const apart = Math.min(systemApart, Math.max(0, products(sum(q), sum(q, value => value * value)) - corefer));
    const kinds = [[inside, goldLinks, allSystem], [apart, pairs(goldMentions) - goldLinks, systemApart]]
      .filter(([, inGold]) => inGold > 0).map(([part, inGold, inSystem]) => score(part, inGold, part, inSystem, beta));
    const mean = name => ratio(sum(kinds, kind => kind[name]), kinds.length);

    const scores = {
      muc: score(common, goldMentions - goldEntities, common, mentions - entities, beta),
      b_cubed: score(total((v, u) => share(company(v, u), sizes[v])), goldMentions,
        total((v, u) => share(company(v, u), system.size[u])), mentions, beta),
      ceaf_e: score(best, goldEntities, best, entities, beta),
      lea: score(
        sum(sizes, (g, v) => (g > 1 ? g * share(sum(cells[v]), pairs(g)) : 0)) + alone, goldMentions,
        sum(system.linked, (size, u) => size * share(column(cells, u), systemLinks[u])) + alone, mentions, beta),
      blanc: { recall: mean("recall"), precision: mean("precision"), f: mean("f") },
    };
    return scores;
  }

  // All of it: `on` is what T is applied to, "entity" or "link".
  function evaluate(links, gold, sizes, { temperature = 1, on = "entity", beta = 1, keepSingletons = false } = {}) {
    const wanted = keepSingletons ? () => true : g => g > 1;
    const goldOf = gold.map(v => (v >= 0 && wanted(sizes[v]) ? v : -1));
    const kept = sizes.map(g => (wanted(g) ? g : 0));
    const coolLinks = on === "link" ? cooled(links, temperature) : links;
    const probs = entityProbs(coolLinks), isCooled = on === "entity" && temperature !== 1;
    const soft = isCooled ? cooled(probs, temperature, SMALLEST) : probs;
    const appears = appearance(isCooled ? soft : coolLinks, keepSingletons ? 1 : 0);
    return { links: coolLinks, probs: soft, scores: measure(soft, appears, goldOf, kept, beta) };
  }

  return { linkMatrix, entityProbs, evaluate, bestAlignment };
})();
