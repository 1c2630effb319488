// What the pages do beyond plain links and forms. Everything here is an extra: without it they reload themselves.
(function () {
  "use strict";
  var lost = document.getElementById("lost");
  var stream = document.getElementById("stream");
  var parked = null;
  var retry = 0;

  // A hidden page asks for nothing: its stream ends, and begins again with the newest figures.
  function park() {
    if (document.hidden && stream && !parked) {
      parked = stream.cloneNode(true);
      htmx.trigger(stream, "htmx:beforeCleanupElement");
      stream.replaceChildren();
      stream.removeAttribute("sse-connect");
    } else if (!document.hidden && parked) {
      unpark();
      pull();
    }
  }

  function unpark() {
    stream.replaceWith(parked);
    stream = parked;
    parked = null;
    htmx.process(stream);
  }

  // A server that is starting rejects streams. The extension would wait twice as long each time, up to a minute.
  function again() {
    retry = 0;
    if (document.hidden || parked) return;
    parked = stream.cloneNode(true);
    stream.removeAttribute("sse-connect");
    unpark();
  }

  function pull() {
    var elt = document.getElementById("pull");
    if (elt) htmx.trigger(elt, "refresh");
  }

  // A form that is being filled in must not be replaced, and neither must text that is being selected.
  function busy(target) {
    return target.querySelector("details.action[open]") !== null || (window.getSelection() && String(window.getSelection()) !== "");
  }

  function copies(root) {
    if (!navigator.clipboard) return;
    root.querySelectorAll("button[data-copy]").forEach(function (button) { button.hidden = false; });
  }

  // Times are written in UTC, and shown in the time of the reader. Swedish writes them as ISO 8601 does.
  function local(time) {
    return time.toLocaleString("sv-SE");
  }

  var parts = {time: [11, 19], day: [0, 16], second: [0, 19]};

  function times() {
    document.querySelectorAll("time[data-form]").forEach(function (time) {
      var part = parts[time.dataset.form];
      time.textContent = local(new Date(time.dateTime)).slice(part[0], part[1]);
      delete time.dataset.form;
    });
  }

  // htmx gives the focus back to what has an id. Links without one are found by their address and words, or the next Tab
  // of a person without a mouse would begin at the top again.
  var focused = null;
  var among = -1;

  function alike(elt) {
    return Array.from(document.querySelectorAll("main " + elt.localName)).filter(function (it) {
      return it.getAttribute("href") === elt.getAttribute("href") && it.textContent === elt.textContent;
    });
  }

  function refocus() {
    var again = focused && !focused.isConnected && document.activeElement === document.body && alike(focused)[among];
    if (again) again.focus();
  }

  function follow(log) {
    while (log.childElementCount > 1000) log.firstElementChild.remove();
    log.scrollTop = log.scrollHeight;
  }

  document.addEventListener("visibilitychange", park);
  document.body.addEventListener("htmx:beforeRequest", function (event) {
    var id = event.detail.elt.id;
    if ((id === "pull" && (document.hidden || busy(event.detail.target))) || (id === "more" && document.hidden)) event.preventDefault();
  });
  // An answer can arrive after a form was opened; closing the form asks again.
  document.body.addEventListener("htmx:beforeSwap", function (event) {
    var from = event.detail.requestConfig.elt;
    if (from.id === "pull" && busy(event.detail.target)) event.detail.shouldSwap = false;
    focused = document.activeElement || document.body;
    among = alike(focused).indexOf(focused);
  });
  document.body.addEventListener("toggle", function (event) {
    if (event.target.matches("details.action") && !event.target.open) pull();
  }, true);
  var pages = {n: "/", i: "/items", h: "/history"};
  var going = 0;

  // The row whose link has the focus, so that Enter opens it, and a screen reader reads it.
  function row(step) {
    var links = Array.from(document.querySelectorAll("main tbody tr")).map(function (tr) { return tr.querySelector("a[href]"); }).filter(Boolean);
    var at = links.findIndex(function (link) { return link.closest("tr").contains(document.activeElement); });
    var next = links[at < 0 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)];
    if (next) next.focus();
  }

  function search() {
    var field = document.querySelector("input[type=search]");
    if (field) field.focus();
    else location.href = "/items#search";
  }

  function key(name) {
    var went = Date.now() - going < 1000 && pages[name];
    going = name === "g" ? Date.now() : 0;
    if (went) location.href = went;
    else if (name === "/") search();
    else if (name === "j" || name === "k") row(name === "j" ? 1 : -1);
    else if (name === "?") document.getElementById("keys").toggleAttribute("hidden");
    else return false;
    return true;
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (key(event.key)) event.preventDefault();
  });
  if (location.hash === "#search") search();
  document.addEventListener("keydown", function (event) {
    if (event.key !== "Escape") return;
    document.querySelectorAll("details.action[open]").forEach(function (open) {
      open.open = false;
      open.querySelector("summary").focus();
    });
  });
  document.addEventListener("click", function (event) {
    document.querySelectorAll("details.action[open]").forEach(function (open) {
      if (!open.contains(event.target)) open.open = false;
    });
    var copy = event.target.closest ? event.target.closest("button[data-copy]") : null;
    if (copy) {
      navigator.clipboard.writeText(copy.dataset.copy).then(function () {
        copy.textContent = "Copied";
        setTimeout(function () { copy.textContent = "Copy"; }, 1500);
      });
    }
  });
  function away() {
    var state = document.getElementById("state");
    lost.textContent = "Reconnecting, as of " + state.querySelector("time").textContent;
    lost.hidden = false;
  }

  document.body.addEventListener("htmx:sseError", function (event) {
    if (event.target === stream && event.detail.source.readyState === EventSource.CLOSED && !retry) retry = setTimeout(again, 3000);
    away();
  });
  document.body.addEventListener("htmx:sendError", away);
  document.body.addEventListener("htmx:sseOpen", function () {
    if (!lost.hidden) pull();
    lost.hidden = true;
  });
  document.body.addEventListener("htmx:afterSwap", function (event) {
    copies(document);
    times();
    refocus();
    if (event.detail.requestConfig.elt.id !== "more") return;
    var log = document.getElementById("log");
    if (log) follow(log);
    if (!stream) lost.hidden = true;
  });
  document.body.addEventListener("htmx:oobAfterSwap", times);
  copies(document);
  times();
  if (document.getElementById("log")) follow(document.getElementById("log"));

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim() || "#888";
  }

  // light-dark() is resolved by the browser only where a property uses it.
  function resolved(name) {
    var probe = document.createElement("i");
    probe.hidden = true;
    probe.className = "probe-" + name;
    probe.style.color = "var(--" + name + ")";
    document.body.append(probe);
    var found = getComputedStyle(probe).color || colour(name);
    probe.remove();
    return found;
  }

  // Steps of an axis that counts: there is no half of a session.
  var whole = [1, 2, 5].concat([1, 2, 3, 4, 5, 6].flatMap(function (power) { return [1, 2, 5].map(function (n) { return n * Math.pow(10, power); }); }));

  function draw() {
    document.querySelectorAll(".plot").forEach(function (plot) {
      var data = JSON.parse(plot.dataset.series);
      var unit = plot.dataset.unit;
      var line = resolved("line"), dim = resolved("dim");
      var axis = { stroke: dim, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
      var tones = (plot.dataset.tones || "accent").split(" ");
      var span = Number(plot.dataset.span);
      var days = span > 129600;
      var clock = function (u, ticks) {
        return ticks.map(function (tick) { var iso = local(new Date(tick * 1000)); return days ? iso.slice(5, 10) : iso.slice(11, 16); });
      };
      var options = {
        width: plot.clientWidth, height: 160, cursor: { y: false }, legend: { show: false },
        scales: { x: { range: function () { var end = Math.max(Date.now() / 1000, data[0][data[0].length - 1]); return [end - span, end]; } }, y: { range: function (u, low, high) { return [0, Math.max(high || 0, unit === "$" ? 0.01 : 1) * 1.1]; } } },
        axes: [Object.assign({ size: 28, values: clock }, axis), Object.assign({ size: 56, incrs: unit ? undefined : whole, values: function (u, ticks) { return ticks.map(function (tick) { return unit === "$" ? "$" + tick : tick + unit; }); } }, axis)],
        series: [{}].concat(data.slice(1).map(function (_, at) { return { stroke: resolved(tones[at] || "dim"), width: 1.6 }; }))
      };
      plot.replaceChildren();
      new uPlot(options, data, plot);
    });
  }

  if (window.uPlot) {
    draw();
    var wait = 0;
    addEventListener("resize", function () { clearTimeout(wait); wait = setTimeout(draw, 100); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  }
})();
