"""Lays the tables below out as hollenmark.ttl, corvane.ttl and the entity reference, the same every time.

The tables were typed by hand (see WORLD.md); run ``python data/huts/write_entities.py`` after changing one. A row's
first word says who lists the thing: b both unions, h the Hollenmark Hut Union alone, c the Fédération de la Corvane.
"""

# ruff: noqa: E501, D102, D103  # tables are wide, and the names say it

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

HERE = Path(__file__).parent
BASE = "http://huts.example/"

# who | key | German | French | range
VALLEYS = """
b ottertal | Ottertal | Ottertal | hollenmark
b laerchgrund | Lärchgrund | Lärchgrund | hollenmark
b sorne | Sornetal | Val Sorne | corvane
b brisette | Brisettetal | Val Brisette | corvane
b moosach | Moosachtal | Vallée de la Moosach | hollenmark
b kaltwasser | Kaltwassertal | Val Froide | hollenmark
b tannwinkel | Tannwinkel | Tannwinkel | hollenmark
b ambiere | Tal der Ambière | Val d'Ambière | corvane
b noiresse | Noiressetal | Combe Noiresse | corvane
b trois_fonts | Dreibrunnental | Vallon des Trois Fonts | corvane
h graben | Hintergraben | - | hollenmark
c orvals | - | Combe des Orvals | corvane
"""
# key | German | French | valley | metres
VILLAGES = """
b ottersried | Ottersried | Ottersried | ottertal | 1020
b unterlaerch | Unterlärch | Unterlärch | laerchgrund | 1140
b sorne_le_haut | Ober-Sorne | Sorne-le-Haut | sorne | 980
b ambrettes | Les Ambrettes | Les Ambrettes | brisette | 1210
b moosach_dorf | Moosach | Moosach | moosach | 905
b kaltwasser_dorf | Kaltwasser | Eaux-Froides | kaltwasser | 1088
b tannwinkel_dorf | Tannwinkel-Dorf | Tannwinkel-Village | tannwinkel | 1262
b ambiere_bas | Unter-Ambière | Ambière-le-Bas | ambiere | 874
b noiresse_dorf | Noiresse | Noiresse | noiresse | 1155
b fontaines | Dreibrunnen | Les Trois Fonts | trois_fonts | 1301
b stegen | Stegen | Les Passerelles | moosach | 948
b vieux_moulin | Altmühle | Vieux-Moulin | ambiere | 812
h oberlaerch | Oberlärch | - | laerchgrund | 1318
h hinterott | Hinterott | - | ottertal | 1177
h grabenhof | Grabenhof | - | graben | 1066
c chapelle | - | La Chapelle-aux-Neiges | sorne | 1120
c orval | - | Orval | orvals | 1034
c champ_rond | - | Champ-Rond | noiresse | 1090
"""
# key | German | French | valley | metres | beds | kind (s staffed, v bivouac, r rescue) | built | warden | cook | village
HUTS = """
b laerchgrundhuette | Lärchgrundhütte | Cabane du Lärchgrund | laerchgrund | 1642 | 48 | s | 1931 | jana_brunnhold | mattis_oberreut | unterlaerch
b dreibachhuette | Dreibachhütte | Cabane des Trois Ruisseaux | ottertal | 1987 | 36 | s | 1926 | korbin_tesch | korbin_tesch | ottersried
b hochkarhaus | Hochkarhaus | Maison du Hochkar | ottertal | 2264 | 64 | s | 1908 | wilma_aschauer | rosa_veltin | ottersried
b sorne_refuge | Sornehütte | Refuge de la Sorne | sorne | 1528 | 60 | s | 1954 | odile_marchevaux | basile_querou | sorne_le_haut
b lac_brisette_refuge | Brisettesee-Hütte | Refuge du Lac Brisette | brisette | 2133 | 40 | s | 1961 | theo_lanvers | ines_dourdan | ambrettes
b ambre_refuge | Ambrahütte | Refuge de l'Ambre | brisette | 2418 | 28 | s | 1937 | maelle_fontcre | maelle_fontcre | ambrettes
b steinkar_biwak | Steinkar-Biwak | Bivouac du Steinkar | ottertal | 2781 | 8 | v | 1998 | - | - | ottersried
b pointe_ambre_bivouac | Biwak an der Ambraspitze | Bivouac de la Pointe d'Ambre | brisette | 2936 | 9 | v | 1974 | - | - | ambrettes
b nebelsattel_rettung | Nebelsattel-Rettungshütte | Abri de secours du Col des Brumes | ottertal | 2431 | 6 | r | 1949 | - | - | ottersried
b moosalm | Moosalmhütte | Cabane de l'Alpe Mousseuse | moosach | 1476 | 30 | s | 1912 | hanna_dorfer | hanna_dorfer | moosach_dorf
b rotwandhaus | Rotwandhaus | Maison de la Paroi Rouge | moosach | 2052 | 44 | s | 1934 | felix_ranner | lena_moser_kolb | moosach_dorf
b kaltwasserhuette | Kaltwasserhütte | Refuge des Eaux Froides | kaltwasser | 1815 | 32 | s | 1920 | veit_lochner | ulla_stranz | kaltwasser_dorf
b gratbiwak | Gratbiwak | Bivouac de l'Arête | kaltwasser | 2894 | 6 | v | 1983 | - | - | kaltwasser_dorf
b tannwinkelhuette | Tannwinkelhütte | Cabane de Tannwinkel | tannwinkel | 1711 | 26 | s | 1947 | sibyll_arnthal | jost_perlach | tannwinkel_dorf
b sonnkopfhaus | Sonnkopfhaus | Maison de la Tête du Soleil | tannwinkel | 2190 | 52 | s | 1929 | gregor_wieslach | paula_hintz | tannwinkel_dorf
b ambiere_refuge | Ambièrehütte | Refuge d'Ambière | ambiere | 1604 | 38 | s | 1958 | lucien_tavernay | colette_braz | ambiere_bas
b aigle_refuge | Adlerhütte | Refuge de l'Aigle | ambiere | 2377 | 24 | s | 1966 | noemie_vaudroz | noemie_vaudroz | ambiere_bas
b noiresse_refuge | Noiressehütte | Refuge de Noiresse | noiresse | 1893 | 34 | s | 1942 | armand_pellissot | diane_rochat_viel | noiresse_dorf
b corbeaux_bivouac | Rabenbiwak | Bivouac des Corbeaux | noiresse | 2702 | 7 | v | 1979 | - | - | noiresse_dorf
b fonts_refuge | Dreibrunnenhütte | Refuge des Trois Fonts | trois_fonts | 2006 | 46 | s | 1950 | simon_orsat | agathe_lienne | fontaines
b lune_refuge | Mondhütte | Refuge de la Lune | trois_fonts | 2545 | 20 | s | 1971 | perrine_chamoux | perrine_chamoux | fontaines
b marmotte_refuge | Murmeltierhütte | Refuge de la Marmotte | sorne | 2222 | 30 | s | 1969 | bruno_estival | fanny_mercuel | sorne_le_haut
b glacier_bivouac | Gletscherbiwak | Bivouac du Glacier | sorne | 3011 | 5 | v | 1990 | - | - | sorne_le_haut
b wildbachhuette | Wildbachhütte | Cabane du Torrent | laerchgrund | 1890 | 22 | s | 1939 | edda_kreuzhuber | edda_kreuzhuber | unterlaerch
b fuchsloch_rettung | Fuchsloch-Rettungshütte | Abri de secours du Trou du Renard | tannwinkel | 2318 | 4 | r | 1955 | - | - | tannwinkel_dorf
h jaegerhuette | Jägerhütte am Graben | - | graben | 1402 | 14 | s | 1899 | anton_grabner | anton_grabner | grabenhof
h oberlaerchalm | Oberlärchalm | - | laerchgrund | 1555 | 12 | s | 1922 | gundl_faistauer | gundl_faistauer | oberlaerch
h hollenbiwak | Hollenbiwak | - | ottertal | 2977 | 4 | v | 2004 | - | - | hinterott
c steinkar_ancien | - | Ancien bivouac du Steinkar | ottertal | 2779 | 6 | v | 1958 | - | - | ottersried
c neiges_refuge | - | Refuge des Neiges | sorne | 1745 | 18 | s | 1951 | joseph_martenet | joseph_martenet | chapelle
c orvals_refuge | - | Refuge des Orvals | orvals | 1987 | 36 | s | 1963 | claire_duvernoy | remi_cassard | orval
c aigle_hiver | - | Refuge d'hiver de l'Aigle | ambiere | 2371 | 8 | v | 1988 | - | - | ambiere_bas
"""
# key | German | French | hut it is climbed from | metres
SUMMITS = """
b grosser_hollen | Grosser Hollen | Grand Hollen | hochkarhaus | 3318
b kleiner_hollen | Kleiner Hollen | Petit Hollen | hochkarhaus | 3102
b steinkarkopf | Steinkarkopf | Tête du Steinkar | steinkar_biwak | 2990
b pointe_ambre | Ambraspitze | Pointe d'Ambre | pointe_ambre_bivouac | 3104
b rotwand | Rotwand | Paroi Rouge | rotwandhaus | 2688
b weisse_frau | Weisse Frau | Dame Blanche | kaltwasserhuette | 3047
b schneeglocke | Schneeglocke | Cloche de Neige | gratbiwak | 3155
b sonnkopf | Sonnkopf | Tête du Soleil | sonnkopfhaus | 2741
b mondspitze | Mondspitze | Pointe de la Lune | lune_refuge | 2968
b rosskopf_ott | Rosskopf | Tête de Cheval | dreibachhuette | 2554
b rosskopf_moos | Rosskopf | Tête du Cheval | moosalm | 2391
b adlerhorn | Adlerhorn | Corne de l'Aigle | aigle_refuge | 2903
b rabenstein | Rabenstein | Pierre aux Corbeaux | corbeaux_bivouac | 2876
b drei_schwestern | Drei Schwestern | Les Trois Sœurs | fonts_refuge | 2812
b teufelsnadel | Teufelsnadel | Aiguille du Diable | glacier_bivouac | 3267
b grauer_zahn | Grauer Zahn | Dent Grise | marmotte_refuge | 2785
b schwarzhorn | Schwarzhorn | Corne Noire | noiresse_refuge | 2749
b hoher_sattel | Hoher Bühel | Haute Butte | moosalm | 2013
b breitstein | Breitstein | Pierre Large | laerchgrundhuette | 2266
b spitzkofel | Spitzkofel | Spitzkofel | wildbachhuette | 2490
b wolfszahn | Wolfszahn | Dent du Loup | tannwinkelhuette | 2615
b gemsgrat | Gemsgrat | Arête aux Chamois | sonnkopfhaus | 2597
b abendspitze | Abendspitze | Pointe du Soir | ambiere_refuge | 2433
b morgenhorn | Morgenhorn | Corne du Matin | ambiere_refuge | 2471
b eiserner_hut | Eiserner Hut | Chapeau de Fer | lac_brisette_refuge | 2699
b tour_sorne | Sorneturm | Tour de la Sorne | sorne_refuge | 2380
b kirchturm | Kirchturm | Le Clocher | noiresse_refuge | 2567
b hexenstuhl | Hexenstuhl | Chaise de la Sorcière | gratbiwak | 3012
b blaukogel | Blaukogel | Mont Bleu | kaltwasserhuette | 2534
b langer_ruecken | Langer Rücken | Le Long Dos | rotwandhaus | 2419
h ottnagel | Ottnagel | - | dreibachhuette | 2302
h karwaechter | Karwächter | - | hochkarhaus | 2871
h grabenspitz | Grabenspitz | - | jaegerhuette | 2044
h rosskopf_graben | Rosskopf | - | jaegerhuette | 2118
h laerchkogel | Lärchkogel | - | oberlaerchalm | 1989
h mittlerer_hollen | Mittlerer Hollen | - | hollenbiwak | 3188
c dent_orval | - | Dent d'Orval | orvals_refuge | 2650
c petite_dame | - | Petite Dame | neiges_refuge | 2512
c pointe_matin | - | Pointe du Matin | neiges_refuge | 2466
c mont_rond | - | Mont Rond | orvals_refuge | 2207
c dent_blanche | - | Dent Blanche | marmotte_refuge | 2944
c soeur_cadette | - | La Sœur Cadette | fonts_refuge | 2655
"""
# key | German | French | one valley | the other | metres
PASSES = """
b nebelsattel | Nebelsattel | Col des Brumes | ottertal | brisette | 2431
b moosjoch | Moosjoch | Col de la Mousse | moosach | ottertal | 1955
b kaltes_tor | Kaltes Tor | Porte Froide | kaltwasser | moosach | 2340
b tannensattel | Tannensattel | Col des Sapins | tannwinkel | laerchgrund | 1876
b fuchsjoch | Fuchsjoch | Col du Renard | tannwinkel | kaltwasser | 2301
b col_vent | Windlücke | Col du Vent | sorne | ambiere | 2148
b col_aigle | Adlerscharte | Brèche de l'Aigle | ambiere | noiresse | 2533
b col_fonts | Brunnensattel | Col des Fonts | trois_fonts | noiresse | 2277
b col_marmotte | Murmeltierjoch | Col de la Marmotte | sorne | brisette | 2390
b laerchlucke | Lärchlücke | Pas du Mélèze | laerchgrund | ottertal | 2093
h grabenjoch | Grabenjoch | - | graben | ottertal | 1822
c col_orvals | - | Col des Orvals | orvals | sorne | 2066
c pas_loup | - | Pas du Loup | trois_fonts | brisette | 2485
"""
# key | German | French | valley | nearest hut | metres
LAKES = """
b schwarzsee_ott | Schwarzsee | Lac Noir | ottertal | dreibachhuette | 1904
b schwarzsee_bris | Schwarzsee | Lac Noir | brisette | ambre_refuge | 2310
b brisettesee | Brisettesee | Lac Brisette | brisette | lac_brisette_refuge | 2118
b gruensee | Grünsee | Lac Vert | moosach | rotwandhaus | 1977
b spiegelsee | Spiegelsee | Lac du Miroir | kaltwasser | kaltwasserhuette | 1841
b forellensee | Forellensee | Lac aux Truites | tannwinkel | tannwinkelhuette | 1688
b eissee | Eissee | Lac de Glace | sorne | marmotte_refuge | 2356
b herzsee | Herzsee | Lac du Cœur | trois_fonts | fonts_refuge | 2041
b enzianweiher | Enzianweiher | Étang des Gentianes | noiresse | noiresse_refuge | 1911
b ambieresee | Ambièresee | Lac d'Ambière | ambiere | ambiere_refuge | 1577
b zwillingssee | Zwillingssee | Lac Jumeau | laerchgrund | wildbachhuette | 1922
h moorauge | Moorauge | - | graben | jaegerhuette | 1377
h gruensee_ott | Grünsee | - | ottertal | hochkarhaus | 2204
c lac_orval | - | Lac d'Orval | orvals | orvals_refuge | 1960
c lac_miroir_petit | - | Petit Lac du Miroir | sorne | neiges_refuge | 1790
"""
# key | name | village | born; wardens, cooks and guides of the tables above and below
PEOPLE = """
b jana_brunnhold | Jana Brunnhold | unterlaerch | 1978
b mattis_oberreut | Mattis Oberreut | unterlaerch | 1965
b korbin_tesch | Korbin Tesch | ottersried | 1971
b wilma_aschauer | Wilma Aschauer | ottersried | 1969
b rosa_veltin | Rosa Veltin | ottersried | 1988
b odile_marchevaux | Odile Marchevaux | sorne_le_haut | 1974
b basile_querou | Basile Querou | sorne_le_haut | 1990
b theo_lanvers | Théo Lanvers | ambrettes | 1982
b ines_dourdan | Ines Dourdan | ambrettes | 1986
b maelle_fontcre | Maëlle Fontcré | ambrettes | 1991
b hanna_dorfer | Hanna Dorfer | moosach_dorf | 1963
b felix_ranner | Felix Ranner | moosach_dorf | 1980
b lena_moser_kolb | Lena Moser-Kolb | stegen | 1977
b veit_lochner | Veit Lochner | kaltwasser_dorf | 1968
b ulla_stranz | Ulla Stranz | kaltwasser_dorf | 1984
b sibyll_arnthal | Sibyll Arnthal | tannwinkel_dorf | 1976
b jost_perlach | Jost Perlach | tannwinkel_dorf | 1959
b gregor_wieslach | Gregor Wieslach | tannwinkel_dorf | 1972
b paula_hintz | Paula Hintz | tannwinkel_dorf | 1993
b lucien_tavernay | Lucien Tavernay | ambiere_bas | 1961
b colette_braz | Colette Braz | vieux_moulin | 1979
b noemie_vaudroz | Noémie Vaudroz | ambiere_bas | 1987
b armand_pellissot | Armand Pellissot | noiresse_dorf | 1957
b diane_rochat_viel | Diane Rochat-Viel | noiresse_dorf | 1985
b simon_orsat | Simon Orsat | fontaines | 1973
b agathe_lienne | Agathe Lienne | fontaines | 1992
b perrine_chamoux | Perrine Chamoux | fontaines | 1989
b bruno_estival | Bruno Estival | sorne_le_haut | 1966
b fanny_mercuel | Fanny Mercuel | sorne_le_haut | 1994
b edda_kreuzhuber | Edda Kreuzhuber | unterlaerch | 1964
b severin_hollbach | Severin Hollbach | ottersried | 1981
b aurelie_combasse | Aurélie Combasse | ambrettes | 1983
b gaspard_ruel | Gaspard Ruel | sorne_le_haut | 1962
h anton_grabner | Anton Grabner | grabenhof | 1955
h gundl_faistauer | Gundl Faistauer | oberlaerch | 1970
h mattis_oberreut_jung | Mattis Oberreut | unterlaerch | 1995
h ilse_brunnhold | Ilse Brunnhold | unterlaerch | 1949
h kaspar_holm | Kaspar Holm | hinterott | 1967
c joseph_martenet | Joseph Martenet | chapelle | 1956
c claire_duvernoy | Claire Duvernoy | orval | 1981
c remi_cassard | Rémi Cassard | orval | 1990
c theo_lanvers_pere | Théo Lanvers | ambrettes | 1953
c louise_marchevaux | Louise Marchevaux | sorne_le_haut | 2001
"""
# key | German | French | guide | what it passes, each: place, kilometres from the one before, hours
ROUTES = """
b zwei_haenge_weg | Zwei-Hänge-Weg | Tour des deux versants | severin_hollbach | unterlaerch, laerchgrundhuette 6.4 2.5, hochkarhaus 11.2 5, lac_brisette_refuge 13.8 6.5, sorne_refuge 12.1 4.5
b ottertaler_runde | Ottertaler Runde | Tour de l'Ottertal | severin_hollbach | ottersried, dreibachhuette 8.9 3.5, hochkarhaus 7.3 3, ottersried 14.6 4.5
b balcon_ambre | Ambra-Höhenweg | Balcon de l'Ambre | aurelie_combasse | ambrettes, lac_brisette_refuge 7.7 3.5, ambre_refuge 5.2 2.5, ambrettes 9.0 3
b moosach_steig | Moosachsteig | Sentier de la Moosach | felix_ranner | moosach_dorf, moosalm 5.6 2, rotwandhaus 8.1 4, stegen 12.4 4
b rotwand_weg | Rotwandweg | Chemin de la Paroi Rouge | felix_ranner | rotwandhaus, moosjoch 4.8 2, dreibachhuette 6.9 2.5
b kaltwasser_weg | Kaltwasserweg | Chemin des Eaux Froides | veit_lochner | kaltwasser_dorf, kaltwasserhuette 7.2 3, gratbiwak 5.9 5
b tannwinkel_runde | Tannwinkelrunde | Tour de Tannwinkel | gregor_wieslach | tannwinkel_dorf, tannwinkelhuette 4.4 1.5, sonnkopfhaus 6.3 3, tannwinkel_dorf 10.9 3.5
b fuchs_querung | Fuchsquerung | Traversée du Renard | gregor_wieslach | sonnkopfhaus, fuchsjoch 3.7 1.5, kaltwasserhuette 8.8 4
b ambiere_tour | Ambière-Rundweg | Tour d'Ambière | lucien_tavernay | ambiere_bas, ambiere_refuge 6.0 2.5, aigle_refuge 7.4 4, vieux_moulin 13.3 4.5
b noiresse_haute | Hohe Noiresse | Haute Route de Noiresse | aurelie_combasse | noiresse_dorf, noiresse_refuge 6.6 3, corbeaux_bivouac 4.9 4
b trois_fonts_tour | Dreibrunnenrunde | Tour des Trois Fonts | simon_orsat | fontaines, fonts_refuge 5.1 2.5, lune_refuge 5.5 3, fontaines 8.7 3
b col_vent_route | Windlückenweg | Chemin du Col du Vent | aurelie_combasse | sorne_refuge, col_vent 6.2 2.5, ambiere_refuge 7.0 2.5
b marmotte_route | Murmeltierweg | Sentier de la Marmotte | bruno_estival | sorne_le_haut, marmotte_refuge 9.3 4.5, lac_brisette_refuge 8.6 4
b glacier_route | Gletscherweg | Sentier du Glacier | aurelie_combasse | marmotte_refuge, glacier_bivouac 4.2 4
b laerch_querung | Lärchquerung | Traversée des Mélèzes | severin_hollbach | unterlaerch, wildbachhuette 7.8 3, laerchlucke 3.1 1, dreibachhuette 5.7 2
h graben_weg | Grabenweg | - | kaspar_holm | grabenhof, jaegerhuette 4.9 2, grabenjoch 3.3 1.5, dreibachhuette 7.6 3
h laerchalm_runde | Lärchalmrunde | - | kaspar_holm | oberlaerch, oberlaerchalm 3.6 1, laerchgrundhuette 2.9 1
c ottertal_hiver | - | Tour de l'Ottertal en hiver | aurelie_combasse | ottersried, dreibachhuette 9.8 4.5, ottersried 9.8 3
c orvals_tour | - | Tour des Orvals | joseph_martenet | orval, orvals_refuge 6.9 3, col_orvals 2.8 1, neiges_refuge 5.4 2
"""
# key | German | French | huts
DISHES = """
b gerstensuppe | Gerstensuppe | Soupe à l'orge | laerchgrundhuette dreibachhuette hochkarhaus sorne_refuge lac_brisette_refuge ambre_refuge
b hollenknoedel | Hollenknödel | Quenelles de pain du Hollen | hochkarhaus dreibachhuette
b sorne_gratin | Sorner Kartoffelgratin | Gratin de la Sorne | sorne_refuge lac_brisette_refuge
b linseneintopf | Linseneintopf | Ragoût de lentilles | ambre_refuge
b blaubeerkuchen | Blaubeerkuchen | Gâteau aux myrtilles | laerchgrundhuette
b kaeseschnitte | Käseschnitte | Croûte au fromage | rotwandhaus moosalm
b pilzrahm | Pilze in Rahm | Champignons à la crème | tannwinkelhuette sonnkopfhaus
b kuerbissuppe | Kürbissuppe | Soupe à la courge | ambiere_refuge
b nusstorte | Nusstorte | Tarte aux noix | aigle_refuge noiresse_refuge
b apfelmus | Apfelmus mit Zimt | Compote de pommes à la cannelle | fonts_refuge marmotte_refuge
h speckbrot | Speckbrot | - | jaegerhuette oberlaerchalm
h kaiserschmarrn | Hüttenschmarrn | - | kaltwasserhuette wildbachhuette
c omelette | - | Omelette des bergers | neiges_refuge orvals_refuge
c tarte_poires | - | Tarte aux poires | lune_refuge
"""
# key | German | French | dishes
INGREDIENTS = """
b gerste | Gerste | Orge | gerstensuppe
b karotte | Karotte | Carotte | gerstensuppe linseneintopf
b lauch | Lauch | Poireau | gerstensuppe sorne_gratin
b sellerie | Sellerie | Céleri | gerstensuppe kuerbissuppe
b rauchschinken | Rauchschinken | Jambon fumé | gerstensuppe
b altbrot | Altes Brot | Pain rassis | hollenknoedel
b ei | Ei | Œuf | hollenknoedel blaubeerkuchen kaiserschmarrn omelette
b milch | Milch | Lait | hollenknoedel kaiserschmarrn
b bergkaese | Bergkäse | Fromage de montagne | hollenknoedel sorne_gratin kaeseschnitte
b schnittlauch | Schnittlauch | Ciboulette | hollenknoedel omelette
b kartoffel | Kartoffel | Pomme de terre | sorne_gratin
b rahm | Rahm | Crème | sorne_gratin pilzrahm
b muskat | Muskatnuss | Noix de muscade | sorne_gratin
b linsen | Grüne Linsen | Lentilles vertes | linseneintopf
b zwiebel | Zwiebel | Oignon | linseneintopf kuerbissuppe
b lorbeer | Lorbeerblatt | Feuille de laurier | linseneintopf
b mehl | Mehl | Farine | blaubeerkuchen nusstorte kaiserschmarrn tarte_poires
b butter | Butter | Beurre | blaubeerkuchen nusstorte
b zucker | Zucker | Sucre | blaubeerkuchen nusstorte apfelmus
b blaubeere | Blaubeeren | Myrtilles | blaubeerkuchen
b pilze | Waldpilze | Champignons des bois | pilzrahm
b kuerbis | Kürbis | Courge | kuerbissuppe
b walnuss | Walnüsse | Noix | nusstorte
b apfel | Äpfel | Pommes | apfelmus
b zimt | Zimt | Cannelle | apfelmus
h speck | Speck | - | speckbrot
h roggenbrot | Roggenbrot | - | speckbrot
h rosinen | Rosinen | - | kaiserschmarrn
c poire | - | Poires | tarte_poires
c thym | - | Thym sauvage | omelette
"""
# key | German | French | valley | hut at its foot | metres
GLACIERS = """
b hollenferner | Hollenferner | Glacier du Hollen | ottertal | hochkarhaus | 2890
b sorne_glacier | Sornegletscher | Glacier de la Sorne | sorne | glacier_bivouac | 2930
b frauenferner | Frauenferner | Glacier de la Dame | kaltwasser | gratbiwak | 2815
b ambra_glacier | Ambragletscher | Glacier d'Ambre | brisette | pointe_ambre_bivouac | 2860
c orval_glacier | - | Glacier d'Orval | orvals | orvals_refuge | 2540
"""
# key | German | French | hut
STATIONS = """
b station_hochkar | Wetterstation Hochkarhaus | Poste météo du Hochkar | hochkarhaus
b station_ambre | Wetterstation Ambrahütte | Poste météo de l'Ambre | ambre_refuge
b station_sonnkopf | Wetterstation Sonnkopf | Poste météo de la Tête du Soleil | sonnkopfhaus
b station_aigle | Wetterstation Adlerhütte | Poste météo de l'Aigle | aigle_refuge
h station_moos | Wetterstation Moosalm | - | moosalm
c station_lune | - | Poste météo de la Lune | lune_refuge
"""
# key | German | French | hut
HELIPADS = """
h heli_hochkar | Hubschrauberlandeplatz Hochkarhaus | - | hochkarhaus
h heli_rotwand | Hubschrauberlandeplatz Rotwandhaus | - | rotwandhaus
h heli_sonnkopf | Hubschrauberlandeplatz Sonnkopfhaus | - | sonnkopfhaus
h heli_nebel | Hubschrauberlandeplatz Nebelsattel | - | nebelsattel_rettung
"""
COURSES = """
c stage_glace | - | Stage d'école de glace | glacier_bivouac
c stage_rocher | - | Stage d'escalade sur rocher | aigle_refuge
c stage_neige | - | Stage neige et avalanches | marmotte_refuge
c stage_orientation | - | Stage d'orientation | noiresse_refuge
"""
RANGES = """
b hollenmark | Hollenmark | Hollenmark
b corvane | Corvane | Corvane
"""
ROOM_KINDS = {"h": ("FourBedRoom", "Vierbettzimmer", 4), "c": ("RF_0000123", "Chambre à quatre lits", 4)}
WITH_ROOMS = ("laerchgrundhuette", "hochkarhaus", "rotwandhaus", "sonnkopfhaus", "sorne_refuge", "fonts_refuge")
NUMBER_OF_NETWORK = (
    "laerchgrundhuette",
    "dreibachhuette",
    "hochkarhaus",
    "sorne_refuge",
    "lac_brisette_refuge",
    "ambre_refuge",
)
COLOURS = ("rot", "gelb", "blau"), ("rouge", "jaune", "bleu")

TYPES = {  # Hollenmark, Corvane
    "range": (":MountainRange", "r:RF_0000107"), "valley": (":Valley", "r:RF_0000106"), "village": ("t:Ort", "t:Village"),
    "s": (":StaffedHut", "r:RF_0000103"), "v": (":Bivouac", "r:RF_0000104"), "r": (":RescueHut", "r:RF_0000104"),
    "summit": (":Summit", "r:RF_0000105"), "pass": (":Pass", "r:RF_0000108"), "lake": ("t:See", "t:Lac"),
    "person": (":Person", "r:RF_0000114"), "route": (":Route", "r:RF_0000110"), "stage": (":Stage", "r:RF_0000111"),
    "dish": (":Dish", "r:RF_0000129"), "glacier": ("t:Gletscher", "t:Glacier"), "station": (":WeatherStation", "r:RF_0000132"),
    "ingredient": (":Ingredient", "r:RF_0000128"),
    "helipad": (":Helipad", ""), "course": ("", "r:RF_0000112"), "room": (":FourBedRoom", "r:RF_0000123"),
}  # fmt: skip
TERMS = {
    "range": (":partOfRange", "r:belongs_to_massif"), "hut valley": (":locatedIn", "r:is_situated_in"),
    "valley": ("t:liegtImTal", "t:dans_la_vallee"), "warden": (":hasWarden", "r:is_guarded_by"),
    "cook": ("t:koch", "t:cuisinier"), "village": ("t:talort", "t:village_de_depart"),
    "climbed from": ("t:ausgangspunkt", "t:acces_depuis"), "joins": ("t:verbindet", "t:relie"),
    "near": ("t:naechsteHuette", "t:refuge_proche"), "lives in": ("t:wohnhaftIn", "t:habite"),
    "guide": ("t:gefuehrtVon", "t:guide"), "stage": (":hasStage", "r:consists_of_leg"), "from": (":startsAt", "r:departs_from"),
    "to": (":endsAt", "r:arrives_at"), "ingredient": ("t:zutat", "t:ingredient"), "served at": ("t:wirdServiertIn", "t:servi_a"), "room": (":hasRoom", "r:contains_bedroom"),
    "metres": (":altitude", "r:has_elevation"), "beds": (":capacity", "r:has_number_of_sleeping_places"),
    "built": ("t:baujahr", "t:annee_de_construction"), "born": ("t:geburtsjahr", "t:annee_de_naissance"),
    "kilometres": (":lengthInKilometres", "r:measures_kilometres"), "hours": ("t:gehzeit", "t:duree"),
    "phone": ("t:telefon", "t:telephone"), "number": ("t:netznummer", "t:numero_reseau"), "colour": ("t:farbe", "t:couleur"),
}  # fmt: skip
HEADS = (
    """# The register of the Hollenmark Hut Union. Fictional; laid out by write_entities.py; CC0-1.0. See SOURCE.md.
@prefix : <http://huts.example/alpine#> .
@prefix i: <http://huts.example/hollenmark/> .
@prefix t: <http://huts.example/hollenmark/term#> .
""",
    """# The catalogue of the Fédération des refuges de la Corvane. Fictional; laid out by write_entities.py; CC0-1.0. See SOURCE.md.
@prefix r: <http://huts.example/refuge#> .
@prefix i: <http://huts.example/corvane/> .
@prefix t: <http://huts.example/corvane/term#> .
""",
)
PREFIXES = """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


class Union:
    """What one union publishes, in the order of the tables."""

    def __init__(self, side: int) -> None:
        self.side, self.letter = side, "hc"[side]
        self.things: dict[str, tuple[str, str, list[tuple[str, str]]]] = {}

    def lists(self, who: str) -> bool:
        return who in ("b", self.letter)

    def add(self, key: str, kind: str, name: str) -> None:
        self.things[key] = (kind, name, [])

    def link(self, key: str, term: str, other: str) -> None:
        if key in self.things and other in self.things:
            self.things[key][2].append((TERMS[term][self.side], f"i:{self.local(other)}"))

    def say(self, key: str, term: str, value: str) -> None:
        self.things[key][2].append((TERMS[term][self.side], value))

    def local(self, key: str) -> str:
        """The Hollenmark's IRIs read; the Corvane's are the numbers of cards in a catalogue."""
        return (
            slug(self.things[key][1]) + suffix(key, self.things)
            if self.side == 0
            else f"fiche-{list(self.things).index(key) + 1001}"
        )

    def turtle(self) -> str:
        language = ("de", "fr")[self.side]
        blocks = []
        for key, (kind, name, said) in self.things.items():
            lines = [f"i:{self.local(key)} a {TYPES[kind][self.side]}", f'rdfs:label "{name}"@{language}']
            blocks.append(" ;\n    ".join(lines + [f"{term} {value}" for term, value in said]) + " .\n")
        return HEADS[self.side] + PREFIXES + "\n" + "\n".join(blocks)


def slug(name: str) -> str:
    for one, other in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("–", "-")):
        name = name.replace(one, other).replace(one.upper(), other.capitalize())
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def suffix(key: str, things: dict[str, tuple[str, str, list[tuple[str, str]]]]) -> str:
    same = [other for other, (_, name, _) in things.items() if slug(name) == slug(things[key][1])]
    return f"-{same.index(key) + 1}" if len(same) > 1 else ""


def rows(table: str) -> list[list[str]]:
    split = [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]
    return [[first[0][0], first[0][2:], *first[1:]] for first in split]


def number(key: str, most: int) -> int:
    """A number that depends on the key alone: what two surveyors read differently."""
    return sum((place + 1) * ord(letter) for place, letter in enumerate(key)) % most


def person(name: str, side: int) -> str:
    first, _, last = name.partition(" ")
    return name if side == 0 else f"{last.upper()} {first}"


def publish(side: int) -> Union:
    """One union's things: first all of them by name, then what is said of each."""
    union = Union(side)
    tables = {
        "range": RANGES, "valley": VALLEYS, "village": VILLAGES, "person": PEOPLE, "hut": HUTS, "summit": SUMMITS,
        "pass": PASSES, "lake": LAKES, "glacier": GLACIERS, "dish": DISHES, "ingredient": INGREDIENTS,
        "station": STATIONS, "helipad": HELIPADS, "course": COURSES, "route": ROUTES,
    }  # fmt: skip
    listed = {kind: [row for row in rows(table) if union.lists(row[0])] for kind, table in tables.items()}
    for kind, chosen in listed.items():
        for row in chosen:
            shown = person(row[2], side) if kind == "person" else row[2 + side]
            union.add(row[1], row[7] if kind == "hut" else kind, shown)
    for row in listed["valley"]:
        union.link(row[1], "range", row[4])
    for row in listed["village"]:
        union.link(row[1], "valley", row[4])
        metres(union, row[1], row[5])
    for row in listed["person"]:
        union.link(row[1], "lives in", row[3])
        if side == 0 or number(row[1], 3):
            union.say(row[1], "born", f'"{row[4]}"^^xsd:gYear')
    for row in listed["hut"]:
        hut(union, row)
    for kind, term in (("summit", "climbed from"), ("station", "near"), ("helipad", "near"), ("course", "near")):
        for row in listed[kind]:
            union.link(row[1], term, row[4])
            if kind == "summit":
                metres(union, row[1], row[5])
    for row in listed["pass"]:
        union.link(row[1], "joins", row[4])
        union.link(row[1], "joins", row[5])
        metres(union, row[1], row[6])
    for row in (*listed["lake"], *listed["glacier"]):
        union.link(row[1], "valley", row[4])
        union.link(row[1], "near", row[5])
        metres(union, row[1], row[6])
    for row in listed["dish"]:
        for where in row[4].split():
            union.link(row[1], "served at", where)
    for row in listed["ingredient"]:
        for dish in row[4].split():
            union.link(dish, "ingredient", row[1])
    for place, row in enumerate(listed["route"]):
        route(union, row, place)
    return union


def hut(union: Union, row: list[str]) -> None:
    key, side = row[1], union.side
    union.link(key, "hut valley", row[4])
    for term, at in (("warden", 9), ("cook", 10), ("village", 11)):
        union.link(key, term, row[at])
    metres(union, key, row[5])
    union.say(key, "beds", row[6])
    if side == 0 or number(key, 4):
        union.say(key, "built", f'"{row[8]}"^^xsd:gYear')
    if row[7] == "s":
        digits = f"{100000 + 7919 * number(key, 97):06d}"
        union.say(
            key,
            "phone",
            f'"0{digits[:2]}/{digits[2:]}"' if side == 0 else f'"+99 {digits[:2]} {digits[2:4]} {digits[4:]}"',
        )
    if key in NUMBER_OF_NETWORK:
        union.say(key, "number", f'"TSN-{NUMBER_OF_NETWORK.index(key) + 1:02d}"')
    for at in range(1, 4) if key in WITH_ROOMS else ():
        _, kind, beds = ROOM_KINDS[union.letter]
        room, owner = f"{key}_room_{at}", union.things[key][1]
        union.add(room, "room", f"{kind} {at}, {owner}")
        union.link(key, "room", room)
        union.say(room, "beds", str(beds))


def route(union: Union, row: list[str], place: int) -> None:
    key, side = row[1], union.side
    union.link(key, "guide", row[4])
    union.say(key, "colour", f'"{COLOURS[side][place % 3]}"')
    before, *after = [part.split() for part in row[5].split(",")]
    for at, (where, kilometres, hours) in enumerate(after, start=1):
        stage, start = f"{key}_{at}", before[0]
        union.add(stage, "stage", f"{union.things[start][1]} – {union.things[where][1]}")
        union.link(key, "stage", stage)
        union.link(stage, "from", start)
        union.link(stage, "to", where)
        longer = number(stage, 3) / 10 if side else 0.0
        union.say(stage, "kilometres", f"{float(kilometres) + longer:.1f}")
        union.say(stage, "hours", f"{float(hours):.1f}")
        before = [where]


def metres(union: Union, key: str, value: str) -> None:
    """Both unions give altitudes; the Corvane surveyed some of them anew."""
    moved = number(key, 9) - 4 if union.side and number(key, 2) else 0
    union.say(key, "metres", str(int(value) + moved))


def main() -> None:
    """Write the two graphs, and which of their things are the same."""
    hollenmark, corvane = publish(0), publish(1)
    (HERE / "hollenmark.ttl").write_text(hollenmark.turtle(), encoding="utf-8")
    (HERE / "corvane.ttl").write_text(corvane.turtle(), encoding="utf-8")
    same = [
        f"{BASE}hollenmark/{hollenmark.local(key)}\t{BASE}corvane/{corvane.local(key)}\n"
        for key in hollenmark.things
        if key in corvane.things
    ]
    (HERE / "entity-reference.tsv").write_text("".join(same), encoding="utf-8")
    (HERE / "entity-seeds.tsv").write_text("".join(same[3::4]), encoding="utf-8")


if __name__ == "__main__":
    main()
